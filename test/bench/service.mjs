import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const START_LIMIT_MS = 60_000;
const COMPLETED = '"msg":"request completed"';

/** The program of a checkout; releases before it was bundled have it elsewhere. */
export function mainOf(folder) {
  const main = join(folder, 'dist/main.js');
  return existsSync(main) ? main : join(folder, 'dist/src/main.js');
}

const MAIN = mainOf(fileURLToPath(new URL('../..', import.meta.url)));

/** The compiled service, on a free port of loopback; whoever starts it stops it. @param main of another checkout @param limitMs until it listens */
export async function startService(environment, main = MAIN, limitMs = START_LIMIT_MS) {
  const child = spawn(process.execPath, [main], {
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: '0',
      REGISTRY_BOOTSTRAP_URL: 'off',
      REGISTRY_CANARIES: '',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let completed = 0;
  let tail = '';
  const port = await new Promise((done, fail) => {
    const limit = setTimeout(() => fail(new Error('the service did not start in time')), limitMs);
    child.once('exit', (code) => fail(new Error(`the service ended with ${code}`)));
    let text = '';
    child.stdout.on('data', (chunk) => {
      const seen = tail + chunk;
      completed += seen.split(COMPLETED).length - 1;
      tail = seen.slice(1 - COMPLETED.length);
      if (text === null) return;
      text += chunk;
      const [, found] = /"port":(\d+)/.exec(text) ?? [];
      if (!found) return;
      // What it logs from here on is read and forgotten, as it is part of the work.
      text = null;
      clearTimeout(limit);
      done(found);
    });
  });
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid,
    /** Answers that were sent, according to its log. */
    completed: () => completed,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
