import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, ROOT, run, until } from '../support/processes.js';

it('a process of a test run that was killed ends', async () => {
  const file = join(await makeFolder('orphans'), 'run.cjs');
  // A test run, and the service that it started.
  await writeFile(
    file,
    `const { spawn } = require('node:child_process');
     const { execArgv } = process;
     const child = spawn(process.execPath, [...execArgv, '-e', 'setInterval(() => undefined, 1000)']);
     console.log('started', child.pid);`,
  );
  const killed = run(file, [], { cwd: ROOT });
  const [, pid] = await killed.says(/started (\d+)/);
  const isAlive = () => {
    try {
      return process.kill(Number(pid), 0);
    } catch {
      return false;
    }
  };
  expect(isAlive()).toBe(true);
  await killed.stop('SIGKILL');
  await until('it ends', () => !isAlive());
});
