/**
 * A snapshot, and then a diff, of many names in all formats, beside readers who ask for suggestions:
 *
 *   node exports.mjs [--rows 5000000] [--work FOLDER] [--readers 2] [--seconds 20] [--keep]
 *
 * Times the process that makes exports in the service, its most memory and its CPU time, and suggest as its callers see it: before,
 * meanwhile and afterwards, so that it shows what else the machine does. With Python's pyarrow the files are read back. Prints a table and writes results/exports.{json,md}. Linux only.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startSandboxRegistry } from '../../dist/src/demo/sandbox-registry.js';
import { applyDiffAt } from '../../dist/src/exports/apply-diff.js';
import { ExportProcess } from '../../dist/src/exports/export-process.js';
import { cpuMsOf } from './cpu-time.mjs';
import { highWaterMb, runImport, VOUCHED } from './import-command.mjs';
import { describeMachine } from './machine.mjs';
import { makeNames, readLabels } from './names.mjs';
import { makeQueries } from './queries.mjs';
import { startServer } from './server.mjs';
import { startService } from './service.mjs';
import { Writable } from 'node:stream';

const RESULTS = new URL('results/', import.meta.url);
const LOOK_EVERY_MS = 100;
/** Names whose score changes between the two snapshots. */
const CHANGED = 20_000;

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '5000000' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    readers: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '20' },
    keep: { type: 'boolean', default: false },
  },
});
const rows = Number(values.rows);
const folder = join(values.work, `exports-${rows}`);
const database = `exports_${rows}`;

await mkdir(values.work, { recursive: true });
const file = await makeNames(join(values.work, `names-${rows}.csv`), rows);
const questions = makeQueries(await readLabels(file))
  .filter(({ limit }) => limit === 10)
  .map(({ q, mode, minWayback, limit }) =>
    String(new URLSearchParams({ ...(q && { q }), mode, min_wayback: minWayback, limit })),
  );
const server = await startServer(values.work);
const registry = await startSandboxRegistry({ port: 0 });
let service;
let place = 0;
const say = (step) => console.error(`${new Date().toISOString()}  ${step}`);
try {
  say('importing');
  if (!(await server.hasDatabase(database)))
    await runImport(await server.createDatabase(database), [...VOUCHED, file]);
  const url = server.urlOf(database);
  service = await startService({
    DATABASE_URL: url,
    DATASET_JOBS: 'off',
    ARCHIVE_CDX_URL: 'off',
    REGISTRY_RDAP_URL: registry.url,
    REGISTRY_SOURCE: 'sandbox',
    TRUST_PROXY: '1',
  });
  await rm(folder, { recursive: true, force: true });
  await run(url, 'DELETE FROM export');
  say('warming up');
  await ask(5_000);
  const result = { machine: describeMachine(), rows, readers: Number(values.readers) };
  say('before');
  result.before = await ask(Number(values.seconds) * 1_000);
  say('the first snapshot');
  result.snapshot = await beside(() => make(url, '2026-11-21T05:00:00.000Z'));
  say('the next');
  await run(
    url,
    `UPDATE domain SET wayback = wayback + 1 WHERE domain IN (SELECT domain FROM domain LIMIT ${CHANGED})`,
  );
  result.diff = await beside(() => make(url, '2026-11-22T05:00:00.000Z'));
  say('after');
  result.after = await ask(Number(values.seconds) * 1_000);
  say('applying');
  result.applied = await apply();
  result.readBack = readBack();
  const table = tableOf(result);
  console.log(table);
  await writeFile(new URL('exports.json', RESULTS), `${JSON.stringify(result, null, 2)}\n`);
  await writeFile(new URL('exports.md', RESULTS), `${table}\n`);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await service?.stop();
  await registry.close();
  if (!values.keep) await server.dropDatabase(database).catch(() => undefined);
  await server.close();
}

/** Work, and readers as long as it takes. */
async function beside(work) {
  const stop = new AbortController();
  const asking = ask(Infinity, stop.signal);
  const made = await work().finally(() => stop.abort());
  return { ...made, suggest: await asking };
}

/** Makes what is due as the job does. */
async function make(url, now) {
  const kept = { keepSnapshots: 8, keepDiffDays: 35 };
  const task = { kind: 'snapshot', databaseUrl: url, folder, baseUrl: 'http://localhost', now, ...kept };
  const start = performance.now();
  const options = { signal: new AbortController().signal, warn: console.warn };
  let child;
  const seen = { residentMb: 0, cpuMs: 0 };
  const made = new ExportProcess().make(task, options);
  const timer = setInterval(async () => {
    child ??= childOf(process.pid);
    if (child === undefined) return;
    seen.residentMb = (await highWaterMb(child)) ?? seen.residentMb;
    seen.cpuMs = (await cpuMsOf(child).catch(() => null)) ?? seen.cpuMs;
  }, LOOK_EVERY_MS);
  const exports = await made.finally(() => clearInterval(timer));
  const manifests = await Promise.all(
    exports.map(async ({ id }) => JSON.parse(await readFile(join(folder, id, 'manifest.json'), 'utf8'))),
  );
  return {
    seconds: (performance.now() - start) / 1_000,
    ...seen,
    exports: manifests.map(({ id, kind, rows: count, files }) => ({
      id,
      kind,
      rows: count,
      bytes: Object.fromEntries(
        ['ndjson.gz', 'csv.gz', 'parquet'].map((format) => [
          format,
          files.filter((one) => one.format === format).reduce((sum, { bytes }) => sum + bytes, 0),
        ]),
      ),
    })),
  };
}

function childOf(pid) {
  const text = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(pid)], { encoding: 'utf8' });
  const line = text.split('\n').find((one) => one.includes('export-process.main.js'));
  return line === undefined ? undefined : Number(line.trim().split(' ')[0]);
}

/** Readers who ask one question after the other, each time as somebody new. */
async function ask(ms, signal) {
  const end = performance.now() + ms;
  const times = [];
  let failed = 0;
  const reader = async () => {
    while (performance.now() < end && !signal?.aborted) {
      const mine = place;
      place += 1;
      const start = performance.now();
      const answer = await fetch(`${service.url}/v1/suggest?${questions[mine % questions.length]}`, {
        headers: { 'X-Forwarded-For': `10.${(mine >> 16) & 255}.${(mine >> 8) & 255}.${mine & 255}` },
      });
      await answer.arrayBuffer();
      times.push(performance.now() - start);
      if (!answer.ok) failed += 1;
      await pause(5);
    }
  };
  await Promise.all(Array.from({ length: Number(values.readers) }, reader));
  return { ...figuresOf(times), failed };
}

function figuresOf(times) {
  times.sort((one, other) => one - other);
  const at = (share) =>
    Number((times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(2));
  return { asked: times.length, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) };
}

/** Snapshot and diff give the next snapshot. */
async function apply() {
  const start = performance.now();
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const { rows: applied, sha256 } = await applyDiffAt(
    join(folder, 'snapshot-20261121T050000Z'),
    join(folder, 'diff-20261122T050000Z'),
    nowhere,
  );
  return { rows: applied, sha256, seconds: (performance.now() - start) / 1_000 };
}

/** Rows that others find in the Parquet files; null where there is nobody to read them. */
function readBack() {
  const files = join(folder, 'snapshot-20261122T050000Z');
  const script = `import sys, pyarrow.dataset as d; print(d.dataset(sys.argv[1], format='parquet', exclude_invalid_files=True).count_rows())`;
  try {
    return {
      pyarrow: Number(
        execFileSync('python3', ['-c', script, files], {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
        }),
      ),
    };
  } catch {
    return { pyarrow: null };
  }
}

async function run(url, statement) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

function tableOf({ machine, readers, before, after, snapshot, diff, applied, readBack: read }) {
  const mb = (bytes) => `${Math.round(bytes / 2 ** 20)} MB`;
  const line = (name, one) =>
    `| ${name} | ${one.seconds.toFixed(0)} s | ${(one.cpuMs / 1_000).toFixed(0)} s | ${one.residentMb} MB | ${one.exports
      .map(
        ({ kind, rows: count, bytes }) =>
          `${kind}: ${count.toLocaleString('en-AU')} rows, ${Object.entries(bytes)
            .map(([format, size]) => `${format} ${mb(size)}`)
            .join(', ')}`,
      )
      .join('; ')} |`;
  const asked = (name, one) =>
    `| ${name} | ${one.asked} | ${one.failed} | ${one.p50Ms} ms | ${one.p95Ms} ms | ${one.p99Ms} ms |`;
  return [
    `${rows.toLocaleString('en-AU')} names, ${machine}.`,
    '',
    '| Made | time | CPU time | most memory | files |',
    '|---|---|---|---|---|',
    line('the first snapshot', snapshot),
    line(`the next, and the diff of ${CHANGED.toLocaleString('en-AU')} changed names`, diff),
    '',
    `| ${readers} readers of suggest | asked | failed | p50 | p95 | p99 |`,
    '|---|---|---|---|---|---|',
    asked('before', before),
    asked('beside the first snapshot', snapshot.suggest),
    asked('beside the next and its diff', diff.suggest),
    asked('after', after),
    '',
    `The diff applied to the first snapshot gave ${applied.rows.toLocaleString('en-AU')} rows in ${applied.seconds.toFixed(0)} s, with the SHA-256 of the second. pyarrow read ${read.pyarrow?.toLocaleString('en-AU') ?? 'nothing: it is not here'}.`,
  ].join('\n');
}
