// Which files of src/ run for a request: those with a function that V8 counted while it was answered.
//   npm run build && node test/request-files.mjs [FOLDER]     the counts and lists as Markdown, of the build in FOLDER (dist/src)
// docs/ARCHITECTURE.md has the lists, and beside the counts those of an earlier build.
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const DIST = `${resolve(process.argv[2] ?? fileURLToPath(new URL('../dist/src', import.meta.url)))}/`;
const load = (file) => import(pathToFileURL(DIST + file).href);
createRequire(`${DIST}main.js`)('reflect-metadata');
const { Command } = createRequire(`${DIST}main.js`)('commander');

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

const { createLogger } = await load('app/logger.js');
const { createApp, listen } = await load('app/setup.js');
const { readConfig } = await load('config/read-config.js');
const { Database } = await load('db/database.js');
const { startSandboxRegistry } = await load('demo/sandbox-registry.js');

const folder = mkdtempSync(join(tmpdir(), 'request-files-'));
chmodSync(folder, 0o755);
const registry = await startSandboxRegistry({ port: 0 });
const ENVIRONMENT = {
  HOST: '127.0.0.1',
  PORT: '0',
  BASE_URL: 'http://127.0.0.1',
  DATA_DIR: folder,
  REGISTRY_RDAP_URL: registry.url,
  REGISTRY_SOURCE: 'sandbox',
  REGISTRY_CANARIES: 'off',
  ARCHIVE_CDX_URL: 'off',
  DATASET_JOBS: 'off',
};
const counted = new Map();
await demo();
await customers();
await registry.close();
rmSync(folder, { recursive: true, force: true });
print();
process.exit(0);

async function demo() {
  let app, url;
  const start = await filesOf(async () => {
    [app, url] = await begin(ENVIRONMENT);
  });
  const get = async (path) => (await fetch(url + path)).text();
  await get('/v1/suggest?q=shop');
  counted.set('suggest', await filesOf(() => get('/v1/suggest?q=shop&limit=1')));
  await get('/v1/domains/check?domain=warm-up.com.au');
  counted.set('check', await filesOf(() => get('/v1/domains/check?domain=sandbox-available.com.au')));
  await importNames(app, 'shop-one.com.au');
  counted.set('import', await filesOf(() => importNames(app, 'shop-two.com.au')));
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'dataset_stats', arguments: {} },
  };
  counted.set(
    'tools/call',
    await filesOf(async () => {
      const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
      return (await fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(call) })).text();
    }),
  );
  const stop = await filesOf(() => app.close());
  counted.set('start and stop', [...new Set([...start, ...stop])].sort());
}

/** In this process, as the command does it. */
async function importNames(app, name) {
  const { registerImport } = await load('ops/cli/import.command.js');
  const program = new Command();
  registerImport(program);
  const file = join(folder, 'names.csv');
  writeFileSync(file, `domain,wayback,first_seen\n${name},5,2026-11-20\n`);
  const environment = { ...process.env };
  Object.assign(process.env, { DATABASE_URL: app.get(Database).url });
  const write = process.stdout.write;
  process.stdout.write = () => true;
  await program.parseAsync(['node', 'bowerbird', 'import', file]);
  process.stdout.write = write;
  process.env = environment;
}

async function customers() {
  const mails = [];
  const environment = {
    ...ENVIRONMENT,
    AUTH: 'on',
    AUTH_SECRET: 'a-secret-that-is-only-counted-with',
    WEBHOOKS: 'on',
    WEBHOOK_WORKER: 'off',
    WEBHOOK_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    WEBHOOK_ALLOW_LOOPBACK: 'on',
    WEBHOOK_UNPROVEN_PACE_SECONDS: '0',
    LOG_LEVEL: 'silent',
  };
  const [app, url] = await begin(environment, { write: (line) => mails.push(line) });
  counted.set('sign-up to first key', await filesOf(() => signUp(url, mails)));
  const receiver = await receive();
  await subscribe(app, url, receiver.url);
  await app.close();
  // By the worker, whose process does nothing else.
  counted.set('delivery', await delivery({ ...environment, WEBHOOK_WORKER: 'on' }, receiver));
}

async function signUp(url, mails) {
  const cookies = new Map();
  const send = async (path, form) => {
    const answer = await fetch(url + path, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { body: new URLSearchParams(form) }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
      cookies.set(name, value);
    }
    return answer.text();
  };
  const [email, password] = ['somebody@example.com', 'correct horse battery'];
  await send('/sign-up');
  await send('/sign-up', { email });
  const token = await until(() => /confirm-email\?token=([\w.%-]+)/.exec(mails.join(''))?.[1]);
  await send('/confirm-email', { token: decodeURIComponent(token), password });
  await send('/sign-in', { email, password });
  const page = await send('/profile/api-keys');
  const submission = /name="submission" value="([^"]+)"/.exec(page)[1];
  const made = await send('/profile/api-keys', {
    submission,
    name: 'first',
    kind: 'live',
    scopes: 'read',
    expires_days: '0',
  });
  if (!made.includes('dau_live_')) throw new Error(`no key was made: ${made}`);
}

async function receive() {
  const receiver = { deliveries: 0 };
  const server = createServer((request, response) => {
    receiver.deliveries += 1;
    request.resume();
    response.end('thanks');
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  receiver.url = `http://127.0.0.1:${server.address().port}/`;
  return receiver;
}

async function subscribe(app, url, receiver) {
  const { mintApiKey } = await load('access/api-key.js');
  const database = app.get(Database);
  const { text, hash, start, tail } = mintApiKey('live');
  await database.query(`UPDATE account SET tier = 'pro'`);
  await database.query(
    `INSERT INTO api_key (account_id, name, kind, scopes, submission, hash, start, tail)
     SELECT id, 'second', 'live', '{read,webhooks}', gen_random_uuid(), $1, $2, $3 FROM account`,
    [hash, start, tail],
  );
  const headers = { Authorization: `Bearer ${text}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ url: receiver });
  const answer = await fetch(`${url}/api/v1/webhooks`, { method: 'POST', headers, body });
  if (answer.status !== 201) throw new Error(`no webhook was made: ${await answer.text()}`);
}

/** From an event to the answer of its receiver, written down. */
async function delivery(environment, receiver) {
  const { runWorker } = await load('app/worker.js');
  const { openDatabase } = await load('db/open-database.js');
  const config = readConfig(environment);
  const { database } = await openDatabase(config.database, { log() {}, warn() {}, error() {} });
  await runWorker(config);
  const deliver = async (name) => {
    const before = receiver.deliveries;
    await dropName(database.url, name);
    await until(() => receiver.deliveries > before);
    await until(async () => {
      const open = await database.query(`SELECT FROM webhook_delivery WHERE status <> 'delivered'`);
      return open.length === 0;
    });
  };
  await deliver('shop-three.com.au');
  return filesOf(() => deliver('shop-four.com.au'));
}

/** By the command, in a process of its own: only what follows is counted. */
async function dropName(databaseUrl, name) {
  const file = join(folder, 'dropped.csv');
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(file, `domain,wayback,first_seen\n${name},5,${today}\n`);
  const run = (...options) =>
    promisify(execFile)(process.execPath, [`${DIST}cli.js`, 'import', file, ...options], {
      env: { ...process.env, DATABASE_URL: databaseUrl },
    });
  // An earlier build offers what it imports, and knows no vouchers.
  await run('--vouched-by', 'somebody', '--confirmed-at', new Date().toISOString()).catch(() => run());
}

async function begin(environment, log = { write: () => undefined }) {
  const config = readConfig(environment);
  const app = await createApp(config, createLogger('info', log));
  return [app, `http://127.0.0.1:${await listen(app, config)}`];
}

async function until(isSo) {
  for (let tries = 0; tries < 600; tries += 1) {
    const result = await isSo();
    if (result) return result;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error('waited in vain');
}

async function filesOf(work) {
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => url.startsWith('file://') && fileURLToPath(url).startsWith(DIST))
    .filter(({ functions }) =>
      functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0),
    )
    .map(({ url }) => fileURLToPath(url).slice(DIST.length).replace(/\.js$/, '.ts'))
    .filter((file) => !file.startsWith('demo/'))
    .sort();
}

function print() {
  const doors = ['suggest', 'check', 'tools/call', 'sign-up to first key'].map((name) => counted.get(name));
  const shared = doors[0].filter((file) => doors.every((files) => files.includes(file)));
  list('every request over HTTP', shared);
  for (const [request, files] of counted) {
    const isAtDoor = shared.every((file) => files.includes(file));
    const own = isAtDoor ? files.filter((file) => !shared.includes(file)) : files;
    list(request, own, isAtDoor ? `, with those of every request ${files.length}` : '');
  }
}

function list(title, files, more = '') {
  console.log(`\n**${title}** (${files.length} files${more})\n`);
  const folders = new Map();
  for (const file of files) {
    const at = file.split('/').slice(0, -1).join('/');
    folders.set(at, [...(folders.get(at) ?? []), file.split('/').at(-1)]);
  }
  for (const [at, names] of folders) console.log(`- ${at === '' ? '' : `${at}/`}: ${names.join(', ')}`);
}
