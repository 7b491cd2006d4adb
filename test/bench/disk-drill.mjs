/**
 * What a dead disk costs: a service with scheduled backups is under load, its server is killed and its data folder deleted; then it is recovered,
 * once to its last commit and once to a moment whose every table was summed up before.
 *
 *   node disk-drill.mjs [--rows 1000000] [--seconds 90] [--work FOLDER]
 *
 * Prints a table and writes the second half of results/backup.md.
 */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { listTables, quoted } from '../../dist/src/db/backup/backup-file.js';
import { EmbeddedPostgres } from '../../dist/src/db/embedded/embedded-postgres.js';
import { startSandboxRegistry } from '../../dist/src/demo/sandbox-registry.js';
import { describeMachine } from './machine.mjs';
import { makeNames } from './names.mjs';
import { startService } from './service.mjs';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '90' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
  },
});
const [rows, seconds] = [Number(values.rows), Number(values.seconds)];
const place = (name) => join(values.work, `disk-drill-${name}`);
const [disk, store] = [place('disk'), place('store')];
const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const TICK_MS = 20;
const CHECKS_AT_ONCE = 4;
const quiet = { log: () => undefined, warn: () => undefined, error: () => undefined };
const say = (step) => console.error(`${new Date().toISOString()}  ${step}`);
const remove = (path) => rm(path, { recursive: true, force: true, maxRetries: 5 });

await mkdir(values.work, { recursive: true });
for (const name of ['disk', 'store', 'last', 'moment']) await remove(place(name));
const registry = await startSandboxRegistry({ port: 0 });
const environment = {
  BACKUP_DIR: store,
  BACKUP_KEY: Buffer.alloc(32, 7).toString('base64'),
  REGISTRY_RDAP_URL: registry.url,
  REGISTRY_SOURCE: 'sandbox',
  REGISTRY_RATE_PER_SECOND: '100',
  ARCHIVE_CDX_URL: 'off',
  BASE_URL: 'http://localhost',
  TIERS: '{"demo":{"recordsPerMinute":1000000,"requestsPerMinute":1000000}}',
};
const command = (dataDir, ...words) =>
  promisify(execFile)(process.execPath, [CLI, ...words], {
    env: { ...process.env, ...environment, DATA_DIR: dataDir },
    maxBuffer: 10_000_000,
  });

try {
  say('importing');
  const names = await makeNames(join(values.work, `names-${rows}.csv`), rows);
  const vouched = ['--vouched-by', 'bench', '--confirmed-at', new Date().toISOString()];
  await command(disk, 'import', names, '--add', ...vouched);
  const service = await startService({ ...environment, DATA_DIR: disk, DATASET_JOBS: 'on' });
  const client = await connect(disk);
  await client.query(
    'CREATE TABLE drill_tick (n int PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp())',
  );
  say('waiting for the backup');
  const began = performance.now();
  while (!(await filesOf(store)).some((name) => name.endsWith('manifest'))) await pause(200);
  const backup = {
    seconds: (performance.now() - began) / 1_000,
    bytes: await bytesOf(join(store, 'backups')),
  };

  const load = { isOn: true, n: 0, checks: 0 };
  const run = () =>
    Promise.all([tick(client, load), ...Array.from({ length: CHECKS_AT_ONCE }, () => check(service, load))]);
  say('load');
  let loading = run();
  await pause((seconds / 2) * 1_000);
  // Nobody writes for a moment, whose tables are summed up.
  load.isOn = false;
  await loading;
  process.kill(service.pid, 'SIGSTOP');
  const [{ at: moment }] = (await client.query('SELECT clock_timestamp() AS at')).rows;
  say('summing up');
  const before = await sumsOf(client);
  process.kill(service.pid, 'SIGCONT');
  load.isOn = true;
  say('load');
  loading = run();
  await pause((seconds / 2) * 1_000);

  say('the disk dies');
  const [pid] = (await readFile(join(disk, 'postgres/data/postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGKILL');
  process.kill(service.pid, 'SIGKILL');
  load.isOn = false;
  await loading;
  await client.end().catch(() => undefined);
  await remove(disk);
  const log = { bytes: await bytesOf(join(store, 'log')) };

  say('recovering to the last commit');
  const last = await timed(() => command(place('last'), 'recover'));
  const found = await withServer(place('last'), async (recovered) => {
    const [row] = (
      await recovered.query('SELECT count(*)::int AS count, max(n) AS n, max(at) AS at FROM drill_tick')
    ).rows;
    if (row.count !== row.n) throw new Error(`${row.n - row.count} commits are missing before the last one`);
    return row;
  });
  say('recovering to the moment');
  const then = await timed(() => command(place('moment'), 'recover', '--until', moment.toISOString()));
  const after = await withServer(place('moment'), sumsOf);
  const differing = Object.keys(before).filter((table) => before[table] !== after[table]);
  if (differing.length > 0) throw new Error(`these tables differ: ${differing.join(', ')}`);

  const lostMs = load.at.getTime() - found.at.getTime();
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;
  const report = `# A dead disk, with ${rows.toLocaleString('en')} names

${describeMachine()}; ${new Date().toISOString().slice(0, 10)}; \`node test/bench/disk-drill.mjs --rows ${rows} --seconds ${seconds}\`. Service, server, load and store on one machine; others used it as well.
For ${seconds} s, ${load.checks} checks and ${load.n} commits of a writer beside; then the server was killed and its folder deleted.

| | |
|---|---|
| backup of the data folder, encrypted (${megabytes(backup.bytes)}) | ${backup.seconds.toFixed(1)} s |
| log sent until the end (packed, encrypted) | ${megabytes(log.bytes)} |
| commits lost, of ${load.n} | ${load.n - found.n}: those of the last ${(lostMs / 1_000).toFixed(1)} s |
| \`recover\`: to the last commit | ${last.toFixed(1)} s |
| \`recover --until\`: to a moment ${(seconds / 2).toFixed(0)} s earlier | ${then.toFixed(1)} s |

No commit is missing before the last one that came back. At the moment, all ${Object.keys(before).length} tables are equal (rows, and a sum of their hashes).
`;
  const results = new URL('results/backup.md', import.meta.url);
  const [first] = (await readFile(results, 'utf8')).split('# A dead disk');
  await writeFile(results, `${first.trimEnd()}\n\n${report}`);
  console.log(report);
} finally {
  await registry.close();
  for (const name of ['disk', 'store', 'last', 'moment']) await remove(place(name));
}

async function tick(client, load) {
  while (load.isOn)
    try {
      const {
        rows: [row],
      } = await client.query('INSERT INTO drill_tick (n) VALUES ($1) RETURNING at', [load.n + 1]);
      load.n += 1;
      load.at = row.at;
      await pause(TICK_MS);
    } catch {
      // The server is gone.
      return;
    }
}

async function check(service, load) {
  for (let count = 0; load.isOn; count += 1)
    try {
      const name = `drill-${Math.random().toString(36).slice(2, 10)}.com.au`;
      const answer = await fetch(`${service.url}/v1/domains/check?domain=${name}`);
      await answer.arrayBuffer();
      if (answer.ok) load.checks += 1;
    } catch {
      // The service is gone.
      return;
    }
}

async function connect(dataDir) {
  const [password, port] = await Promise.all(
    ['password', 'port'].map(async (name) =>
      (await readFile(join(dataDir, 'postgres', name), 'utf8')).trim(),
    ),
  );
  const client = new pg.Client({
    connectionString: `postgres://bowerbird:${password}@127.0.0.1:${port}/bowerbird`,
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function withServer(dataDir, work) {
  const server = await EmbeddedPostgres.open(dataDir, quiet);
  const client = await connect(dataDir);
  try {
    return await work(client);
  } finally {
    await client.end();
    await server.close();
  }
}

async function sumsOf(client) {
  const sums = {};
  const session = { query: async (sql, parameters) => (await client.query(sql, parameters)).rows };
  for (const { table } of await listTables(session)) {
    const [row] = await session.query(
      `SELECT count(*)::text || ' ' || coalesce(sum(hashtextextended(one::text, 0)), 0)::text AS sum FROM ${quoted(table)} AS one`,
    );
    sums[table] = row.sum;
  }
  return sums;
}

async function filesOf(folder) {
  return readdir(folder, { recursive: true }).catch(() => []);
}

async function bytesOf(folder) {
  const { stdout } = await promisify(execFile)('du', ['-sb', folder]);
  return Number(stdout.split('\t')[0]);
}

async function timed(work) {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}
