import { execFile, spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
const START_LIMIT_MS = 180_000;
const MAIL_LIMIT_MS = 10_000;

/** For Node: the demo with the texts of the made-up language. */
export const MADE_UP_LANGUAGE = ['--import', './test/browser/made-up-language.mjs', 'dist/demo.js'];

/**
 * The compiled demo with accounts, on a port and a data folder of its own. Mail ends in its log.
 *
 * @param variables beside the ones below
 * @param host the name of this machine that its pages are opened by
 */
export async function startService(variables = {}, host = '127.0.0.1', program = ['dist/demo.js']) {
  const folder = await mkdtemp(join(tmpdir(), 'bowerbird-browser-'));
  // Root's server runs as another user; what that cannot enter it would put elsewhere, and leave there.
  await chmod(folder, 0o755);
  const url = `http://${host}:${await freePort()}`;
  const env = {
    ...process.env,
    ...variables,
    AUTH: 'on',
    AUTH_SECRET: 'a-secret-of-the-tests-0123456789abcdef',
    HOST: '127.0.0.1',
    PORT: new URL(url).port,
    BASE_URL: url,
    DATA_DIR: join(folder, 'data'),
  };
  const child = spawn(process.execPath, program, {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (written += text));
  const says = (pattern, limitMs) =>
    new Promise((found, failed) => {
      const look = () => pattern.exec(written) && (end(), found(pattern.exec(written)));
      const give = () => (end(), failed(new Error(`the service did not say ${pattern}:\n${written}`)));
      const limit = setTimeout(give, limitMs);
      const end = () => {
        clearTimeout(limit);
        for (const stream of [child.stdout, child.stderr]) stream.off('data', look);
        child.off('exit', give);
      };
      for (const stream of [child.stdout, child.stderr]) stream.on('data', look);
      child.once('exit', give);
      look();
    });
  await says(/answers at http/, START_LIMIT_MS);
  return {
    url,
    /** Everything that the service has written so far. */
    written: () => written,
    /** The link in the mail to the address. */
    async mailedLink(email) {
      const [, link] = await says(
        new RegExp(`To: ${email}\\.[^]*?(http://\\S+\\?token=[^\\s"\\\\]+)`),
        MAIL_LIMIT_MS,
      );
      return link;
    },
    /** What the service says from now on, or has said, that matches. */
    says: (pattern) => says(pattern, MAIL_LIMIT_MS),
    /** Drops names beside the running service, as an operator does who vouches for them. */
    async drop(...names) {
      const file = join(folder, `drop-${randomUUID()}.csv`);
      await writeFile(file, `domain,wayback\n${names.map((name) => `${name},5\n`).join('')}`);
      const vouch = ['--vouched-by', 'sandbox', '--confirmed-at', new Date().toISOString(), '--events'];
      await this.command('import', file, ...vouch);
    },
    /** Puts names on offer on somebody's word, as operators do. */
    async offer(names) {
      const file = join(folder, `offered-${randomUUID()}.csv`);
      const rows = names.map((name) => `${name},50,2026-01-01\n`);
      await writeFile(file, `domain,wayback,first_seen\n${rows.join('')}`);
      const vouch = ['--vouched-by', 'browser-test', '--confirmed-at', new Date().toISOString()];
      await this.command('import', file, ...vouch);
    },
    /** The operators' command line. */
    async command(...parameters) {
      await promisify(execFile)(process.execPath, ['dist/cli.js', ...parameters], { cwd: ROOT, env });
    },
    async stop() {
      if (child.exitCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Below the ports that the system gives to connections, any of which could take a free one before the service does. */
async function freePort() {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await new Promise((found) => {
      server.once('listening', () => found(true)).once('error', () => found(false));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
