/**
 * A large file beside live traffic and all jobs: what the import locks and for how long, and what becomes of the checks.
 *
 *   node import-beside.mjs [--rows 200000] [--onto 20000] [--checks 50] [--suggests 20] [--kills 0] [--work FOLDER]
 *                          [--url postgres://…]
 *
 * Imports `onto` names as a first load, then `rows` on another word, with the service and its jobs beside it, on the
 * embedded server or the one at --url. With kills, the import is killed with -9 at that many moments and begun again.
 * Fails when an answer is lost, or when totals, events and counts do not agree at the end. Adds a line to
 * results/import-beside.md.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createDataSource } from '../../dist/src/db/data-source.js';
import { Database } from '../../dist/src/db/database.js';
import { migrate } from '../../dist/src/db/migrate.js';
import { startSandboxRegistry } from '../../dist/src/demo/sandbox-registry.js';
import { CubeCheck } from '../../dist/src/domains/search/cube/cube.repository.js';
import { cpuMsOf, cpuMsOfServer, findPostmaster } from './cpu-time.mjs';
import { runImport, VOUCHED } from './import-command.mjs';
import { makeNames, readNames } from './names.mjs';
import { startServer } from './server.mjs';
import { startService } from './service.mjs';
import { percentiles } from './tables.mjs';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '200000' },
    onto: { type: 'string', default: '20000' },
    checks: { type: 'string', default: '50' },
    suggests: { type: 'string', default: '20' },
    kills: { type: 'string', default: '0' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    url: { type: 'string' },
  },
});
const [rows, onto, checks, suggests, kills] = ['rows', 'onto', 'checks', 'suggests', 'kills'].map((name) =>
  Number(values[name]),
);
const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const DATABASE = 'import_beside';
const LOOK_EVERY_MS = 20;
const PROBE = new URL('import-locks-probe.mjs', import.meta.url).href;
const DRIFT_LIMIT_MS = 300_000;
const TABLE = new URL('results/import-beside.md', import.meta.url);
const HEAD = `| PostgreSQL | rows onto | s | server CPU s | import CPU s | WAL MB | batches | names locked p50, p99, max ms | dataset locked p50, p99, max ms | others waited ms | tables locked ms | check p50, p99, max ms | suggest p99, max ms | failed, lost, deadlocks | failed with | kills |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|---:|
`;
const locksFile = join(values.work, 'import-locks.jsonl');

await mkdir(values.work, { recursive: true });
const [file, first] = [rows, onto].map((count) => makeNames(join(values.work, `names-${count}.csv`), count));
const server = values.url ? externalServer(values.url) : await startServer(values.work);
const registry = await startSandboxRegistry({ port: 0 });
const url = await server.createDatabase(DATABASE);
await migrate(url);
await runImport(url, [await first, ...VOUCHED]);
const database = new Database(await createDataSource(url, 2, () => undefined).initialize());
const service = await startService({
  ...{ DATABASE_URL: url, REGISTRY_RDAP_URL: registry.url, REGISTRY_SOURCE: 'sandbox', DATASET_JOBS: 'on' },
  ...{ REGISTRY_RATE_PER_SECOND: '1000', REGISTRY_BURST: '1000', REGISTRY_MAX_FLIPS_PER_HOUR: '1000000' },
  ...{ ARCHIVE_CDX_URL: 'off', NETWORK_LIMITS: 'off' },
  TIERS: '{"demo":{"recordsPerMinute":10000000,"requestsPerMinute":10000000}}',
});
try {
  const names = await readNames(await file, rows);
  const before = await readCounters();
  const traffic = startTraffic(names);
  await pause(3_000);
  const locks = startSampler();
  const startedAt = performance.now();
  const importCpuMs = await importBesideKills();
  const seconds = (performance.now() - startedAt) / 1_000;
  const held = await locks.stop();
  const batches = (await readFile(locksFile, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const asked = await traffic.stop();
  const after = await readCounters();
  // The job that writes down missed answers has had its turn.
  await pause(12_000);
  const lost = await countLost(asked.answers);
  const problems = await findProblems();
  const {
    rows: [version],
  } = await query('SHOW server_version');
  const line = [
    version.server_version.split(' ')[0],
    `${rows.toLocaleString('en-AU')} onto ${onto.toLocaleString('en-AU')}`,
    seconds.toFixed(0),
    ((after.cpuMs - before.cpuMs) / 1_000).toFixed(0),
    (importCpuMs / 1_000).toFixed(1),
    ((after.wal - before.wal) / 1e6).toFixed(0),
    batches.length,
    three(batches.filter(({ known }) => known > 0).map(({ namesMs }) => namesMs)),
    three(batches.map(({ datasetMs }) => datasetMs)),
    held.waitedMs.toFixed(0),
    held.tableMs.toFixed(0),
    three(asked.checks),
    two(asked.suggests),
    `${asked.failed}, ${lost}, ${after.deadlocks - before.deadlocks}`,
    [...asked.failures].map(([what, times]) => `${times} × ${what}`).join('; ') || 'none',
    kills,
  ];
  const text = `| ${line.join(' | ')} |\n`;
  process.stdout.write(HEAD + text);
  const known = await readFile(TABLE, 'utf8').catch(() => '');
  await appendFile(TABLE, known === '' ? HEAD + text : text);
  if (lost > 0 || problems.length > 0) throw new Error(`${lost} answers lost; ${problems.join('; ')}`);
} finally {
  await service.stop();
  await database.dataSource.destroy();
  await registry.close();
  await server.dropDatabase(DATABASE);
  await server.close();
}

/** @returns CPU time of the command, in ms */
async function importBesideKills() {
  let cpuMs = 0;
  await rm(locksFile, { force: true });
  for (let left = kills; ; left -= 1) {
    const child = spawn(
      process.execPath,
      [CLI, 'import', await file, '--vouched-by', 'bench', '--confirmed-at', '2026-01-02', '--events'],
      {
        env: {
          ...process.env,
          ...{ DATABASE_URL: url, NODE_OPTIONS: `--import ${PROBE}`, IMPORT_LOCKS_FILE: locksFile },
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    const ended = once(child, 'exit');
    let isOver = false;
    void ended.then(() => (isOver = true));
    let own = 0;
    while (!isOver) {
      own = await cpuMsOf(child.pid).catch(() => own);
      const { rows: found } = await query(
        `SELECT (counts->>'added')::int + (counts->>'changed')::int AS done FROM import_run`,
      );
      if (left > 0 && (found[0]?.done ?? 0) > (rows * (kills - left + 1)) / (kills + 1))
        child.kill('SIGKILL');
      await Promise.race([ended, pause(200)]);
    }
    cpuMs += own;
    const [code] = await ended;
    process.stderr.write(output.slice(-600));
    if (code === 0) return cpuMs;
    if (left <= 0) throw new Error(`the import ended with ${code}`);
  }
}

/** The longest wait of another for a lock, and how long the import locked a table against readers or writers. */
function startSampler() {
  const client = new pg.Client({ connectionString: url, application_name: 'sampler' });
  const found = { waitedMs: 0, tableMs: 0 };
  let isOver = false;
  let lockedFrom = null;
  const loop = (async () => {
    await client.connect();
    while (!isOver) {
      const {
        rows: [look],
      } = await client.query({
        name: 'look',
        text: `SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now,
                      coalesce(max(extract(epoch FROM clock_timestamp() - waitstart) * 1000)
                        FILTER (WHERE NOT granted AND NOT is_import), 0)::float8 AS waited,
                      coalesce(bool_or(granted AND is_import AND locktype = 'relation' AND relation >= 16384 AND NOT is_temporary
                        AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')), false) AS locked
                 FROM pg_locks
                 JOIN (SELECT pid, application_name LIKE 'bowerbird/% import' AS is_import FROM pg_stat_activity) AS who USING (pid)
                 LEFT JOIN (SELECT oid AS relation, relpersistence = 't' OR relnamespace = pg_my_temp_schema() AS is_temporary
                              FROM pg_class) AS named USING (relation)`,
      });
      found.waitedMs = Math.max(found.waitedMs, look.waited);
      lockedFrom = look.locked ? (lockedFrom ?? look.now) : null;
      if (lockedFrom !== null) found.tableMs = Math.max(found.tableMs, look.now - lockedFrom + LOOK_EVERY_MS);
      await pause(LOOK_EVERY_MS);
    }
    await client.end();
  })();
  return {
    async stop() {
      isOver = true;
      await loop;
      return found;
    },
  };
}

/** Checks and suggestions at a fixed pace, however long each takes. */
function startTraffic(names) {
  const result = { checks: [], suggests: [], failed: 0, failures: new Map(), answers: new Map() };
  const noteFailure = (what) => {
    result.failed += 1;
    result.failures.set(what, (result.failures.get(what) ?? 0) + 1);
  };
  const underWay = new Set();
  const ask = (path, times, onAnswer) => {
    const startedAt = performance.now();
    const asking = fetch(service.url + path)
      .then(async (response) => {
        const body = await response.json();
        times.push(performance.now() - startedAt);
        if (!response.ok) noteFailure(`${response.status} ${body.error?.code}`);
        else onAnswer?.(body);
      })
      .catch((error) => noteFailure(error.cause?.code ?? error.message))
      .finally(() => underWay.delete(asking));
    underWay.add(asking);
  };
  const any = () => names[Math.floor(Math.random() * names.length)];
  const timers = [
    setInterval(() => {
      const domain = any();
      ask(`/v1/domains/check?domain=${domain}`, result.checks, ({ registered, registry: said }) => {
        if (!said.cached) result.answers.set(domain, { registered, at: said.checked_at });
      });
    }, 1_000 / checks),
    setInterval(
      () => ask(`/v1/suggest?q=${any().split('.')[0].slice(0, 4)}`, result.suggests),
      1_000 / suggests,
    ),
  ];
  return {
    async stop() {
      timers.forEach((timer) => clearInterval(timer));
      await Promise.all(underWay);
      return result;
    },
  };
}

/** Names of which the dataset has neither the answer nor a later one, or says the opposite. */
async function countLost(answers) {
  const { rows: found } = await query(
    'SELECT domain, state, checked_at FROM domain WHERE domain = ANY ($1)',
    [[...answers.keys()]],
  );
  return found.filter(({ domain, state, checked_at }) => {
    const { registered, at } = answers.get(domain);
    const isOlder = checked_at === null || checked_at.getTime() < Date.parse(at);
    return isOlder && (registered ? state === 'available' : state !== 'available');
  }).length;
}

async function findProblems() {
  const problems = [];
  const {
    rows: [totals],
  } = await query(
    `SELECT available_records::int AS said, (SELECT count(*)::int FROM domain WHERE available AND NOT hidden) AS counted,
            last_event::int AS last, (SELECT count(*)::int FROM domain_event) AS events,
            (SELECT count(*)::int FROM import_run) AS runs FROM dataset`,
  );
  if (totals.said !== totals.counted) problems.push(`available_records ${totals.said} of ${totals.counted}`);
  if (totals.last !== totals.events) problems.push(`last_event ${totals.last} of ${totals.events}`);
  if (totals.runs !== 0) problems.push('an import is left unfinished');
  const drift = await new CubeCheck(database).findDrift(DRIFT_LIMIT_MS);
  if (drift) problems.push(`the cube is wrong: ${JSON.stringify(drift)}`);
  return problems;
}

async function readCounters() {
  const {
    rows: [counters],
  } = await query(
    `SELECT deadlocks::int, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal FROM pg_stat_database
      WHERE datname = current_database()`,
  );
  return { ...counters, cpuMs: await cpuMsOfServer(await findPostmaster(url)) };
}

function query(text, parameters) {
  return database.pool.query(text, parameters);
}

function three(times) {
  const { p50, p99, max } = percentiles(times);
  return [p50, p99, max].map((ms) => ms.toFixed(0)).join(', ');
}

function two(times) {
  const { p99, max } = percentiles(times);
  return [p99, max].map((ms) => ms.toFixed(0)).join(', ');
}

function externalServer(admin) {
  const run = async (statement) => {
    const client = new pg.Client({ connectionString: admin });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  return {
    async createDatabase(name) {
      await run(`DROP DATABASE IF EXISTS ${name}`);
      await run(`CREATE DATABASE ${name}`);
      return Object.assign(new URL(admin), { pathname: name }).href;
    },
    dropDatabase: (name) => run(`DROP DATABASE ${name} WITH (FORCE)`),
    close: async () => undefined,
  };
}
