/**
 * What it takes to bring names in:
 *
 *   node import.mjs [--rows 10000000] [--work FOLDER] [--stream-gb 2] [--parts raw,first,daily,stream]
 *
 * 1. From nothing to searchable by the import command, beside PostgreSQL's own COPY of the same rows, ready to be copied,
 *    into the same table with the same keys and indexes. 2. Daily files of 2,500 rows into that dataset, with readers
 *    beside them. 3. A long file over standard input, judged and counted, for the memory it takes (a dry run).
 * What was measured before is kept in the work folder. Prints a table and writes results/import.{json,md}.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { migrate } from '../../dist/src/db/migrate.js';
import { round } from './asking.mjs';
import { Bowerbird } from './engines/bowerbird.mjs';
import { runImport, VOUCHED } from './import-command.mjs';
import { describeMachine } from './machine.mjs';
import { makeNames, readLabels } from './names.mjs';
import { describeQuery, makeQueries } from './queries.mjs';
import { startServer } from './server.mjs';
import { ms, percentiles } from './tables.mjs';

const DAILY_ROWS = 2_500;
const DAYS = 5;
const READERS = 2;
const QUIET_SECONDS = 10;
const GB = 1_000_000_000;
const RESULTS = new URL('results/', import.meta.url);

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000000' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    'stream-gb': { type: 'string', default: '2' },
    parts: { type: 'string', default: 'raw,first,daily,stream' },
  },
});
const rows = Number(values.rows);
await mkdir(values.work, { recursive: true });
const file = await makeNames(join(values.work, `names-${rows}.csv`), rows);

const PARTS = { raw: copyRaw, first: importFirst, daily: importDaily, stream: importStream };
const server = await startServer(values.work);
try {
  for (const part of values.parts.split(',').filter(Boolean)) {
    const measured = { finished: new Date().toISOString(), ...(await PARTS[part]()) };
    await writeFile(notePath(part), JSON.stringify(measured));
    log(`${part}: ${JSON.stringify(measured)}`);
  }
} finally {
  await server.close();
}
const result = { machine: describeMachine(), rows };
for (const part of Object.keys(PARTS)) result[part] = await readNote(part);
if (Object.values(result).every((part) => part !== undefined)) {
  await mkdir(RESULTS, { recursive: true });
  await writeFile(new URL('import.json', RESULTS), `${JSON.stringify(result, null, 1)}\n`);
  await writeFile(new URL('import.md', RESULTS), toTable(result));
  process.stdout.write(toTable(result));
}

async function readNote(part) {
  const text = await readFile(notePath(part), 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return text && JSON.parse(text);
}

function notePath(part) {
  return join(values.work, `import-${part}-${rows}.json`);
}

/** As fast as PostgreSQL alone can: one transaction, frozen rows, keys and indexes after the rows. */
async function copyRaw() {
  const ready = await makeCopyText();
  const url = await server.createDatabase('import_raw');
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: indexes } = await client.query(
    `SELECT indexname AS name, indexdef AS statement FROM pg_indexes WHERE tablename = 'domain' AND indexname <> 'domain_pkey'`,
  );
  await client.query(`SET maintenance_work_mem = '512MB'`);
  const start = performance.now();
  await client.query('BEGIN');
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
  await client.query('ALTER TABLE domain DROP CONSTRAINT domain_pkey');
  await client.query('TRUNCATE domain');
  await pipeline(
    createReadStream(ready),
    client.query(
      copyFrom(
        'COPY domain (domain, name, tld, wayback, first_seen, dropped_at, checked_at, state, available, confirmed_by) FROM STDIN (FREEZE)',
      ),
    ),
  );
  const copied = performance.now();
  await client.query('ALTER TABLE domain ADD PRIMARY KEY (domain)');
  for (const { statement } of indexes) await client.query(statement);
  await client.query('ANALYZE domain');
  await client.query('COMMIT');
  const seconds = (performance.now() - start) / 1000;
  await client.end();
  await rm(ready);
  await server.dropDatabase('import_raw');
  return { seconds, copySeconds: (copied - start) / 1000 };
}

async function makeCopyText() {
  const path = join(values.work, `copy-${rows}.tsv`);
  async function* lines() {
    let isHeader = true;
    let text = '';
    for await (const line of createInterface({ input: createReadStream(file) })) {
      if (!isHeader) {
        const [domain, wayback, firstSeen] = line.split(',');
        const dot = domain.indexOf('.');
        text += `${domain}\t${domain.slice(0, dot)}\t${domain.slice(dot + 1)}\t${wayback}\t${firstSeen}\t2026-01-01\t2026-01-01\tavailable\ttrue\tvouched:bench\n`;
      }
      isHeader = false;
      if (text.length < 65_536) continue;
      yield text;
      text = '';
    }
    yield text;
  }
  await pipeline(lines, createWriteStream(`${path}.part`));
  await rename(`${path}.part`, path);
  return path;
}

async function importFirst() {
  const url = await server.createDatabase('bowerbird_import');
  const { seconds, residentMb, progress } = await runImport(url, [file, ...VOUCHED]);
  return { seconds, residentMb, steps: stepsOf(progress) };
}

/** The first line of each step that the command tells, with the seconds at which it began. */
function stepsOf(progress) {
  const steps = progress.matchAll(/^ *(\d+) s {2}([^:\n]+)/gm);
  const begun = new Map();
  for (const [, second, step] of steps) if (!begun.has(step)) begun.set(step, Number(second));
  return Object.fromEntries(begun);
}

async function importDaily() {
  const url = server.urlOf('bowerbird_import');
  const engine = await Bowerbird.open({ data: 'import', server });
  const queries = makeQueries(await readLabels(file));
  // The first reading fills caches and is not counted.
  await readWhile(engine, queries, pauseSeconds(QUIET_SECONDS));
  const alone = await readWhile(engine, queries, pauseSeconds(QUIET_SECONDS));
  const seconds = [];
  const beside = await readWhile(engine, queries, importDays());
  await engine.close();
  return { days: DAYS, rows: DAILY_ROWS, seconds, alone, beside };

  async function importDays() {
    for (let day = 1; day <= DAYS; day += 1)
      seconds.push((await runImport(url, ['-', ...VOUCHED], [dailyFile(day)])).seconds);
  }
}

// Most names new, some in the dataset with another score.
function dailyFile(day) {
  const lines = Array.from({ length: DAILY_ROWS }, (_, place) => {
    const suffix = place % 10 === 0 ? 'au' : 'com.au';
    return `daily-${day}-${(place * 7919) % 100_003}.${suffix},${place % 40 === 0 ? place : 0},2026-10-0${day}`;
  });
  return `domain,wayback,first_seen\n${lines.join('\n')}\n`;
}

/** Questions one after the other by each reader until the work is done. */
async function readWhile(engine, queries, work) {
  const times = [];
  let errors = 0;
  let timedOut = 0;
  let isDone = false;
  let slowest = { ms: 0, query: '' };
  const readers = Array.from({ length: READERS }, async (_, reader) => {
    for (let place = reader; !isDone; place += READERS) {
      const start = performance.now();
      const query = queries[place % queries.length];
      try {
        if ((await engine.ask(query)).timedOut) timedOut += 1;
      } catch (error) {
        errors += 1;
        log(`a reader failed: ${error.message}`);
      }
      const took = performance.now() - start;
      times.push(took);
      if (took > slowest.ms) slowest = { ms: round(took), query: describeQuery(query) };
    }
  });
  await work.finally(() => (isDone = true));
  await Promise.all(readers);
  return { questions: times.length, errors, timedOut, ...percentiles(times), slowest };
}

function pauseSeconds(seconds) {
  return new Promise((done) => setTimeout(done, seconds * 1000));
}

/** The names again and again, each time with another letter in front, until there are enough bytes. */
async function importStream() {
  const bytes = Number(values['stream-gb']) * GB;
  const url = await server.createDatabase('import_stream');
  const { size } = await stat(file);
  let sent = 0;
  async function* text() {
    yield 'domain,wayback,first_seen\n';
    for (let lap = 0; sent < bytes; lap += 1) {
      const letter = String.fromCharCode(97 + lap);
      let rest = '';
      let isHeader = true;
      for await (const chunk of createReadStream(file, 'utf8')) {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        if (isHeader) lines.shift();
        isHeader = false;
        const piece = lines.map((line) => `${letter}${line}\n`).join('');
        sent += piece.length;
        yield piece;
        if (sent >= bytes) break;
      }
    }
  }
  log(`streaming ${bytes} bytes, ${(bytes / size).toFixed(1)} times the file`);
  const { seconds, residentMb } = await runImport(url, ['-', '--dry-run'], text());
  await server.dropDatabase('import_stream');
  return { bytes: sent, seconds, residentMb };
}

function toTable({ machine, rows, raw, first, daily, stream }) {
  const names = rows.toLocaleString('en-AU');
  const whole = (seconds) => `${Math.round(seconds)} s`;
  const reading = ({ p50, p99, max, errors }) =>
    `p50 ${ms(p50)}, p99 ${ms(p99)}, max ${ms(max)} ms, ${errors} errors`;
  const lines = [
    `${machine}; ${first.finished.slice(0, 10)}.`,
    '',
    '| what | measured |',
    '|---|---|',
    `| raw COPY of ${names} rows, the same keys and indexes | ${whole(raw.seconds)} (COPY ${whole(raw.copySeconds)}) |`,
    `| import of ${names} rows from nothing to searchable, with their events | ${whole(first.seconds)}, ${(raw.seconds / first.seconds).toFixed(2)} of raw; ${first.residentMb} MB resident |`,
    `| a daily file of ${daily.rows.toLocaleString('en-AU')} rows into them | ${daily.seconds.map((seconds) => seconds.toFixed(1)).join(', ')} s |`,
    `| ${READERS} readers before | ${reading(daily.alone)} |`,
    `| ${READERS} readers beside the daily files | ${reading(daily.beside)} |`,
    `| ${(stream.bytes / GB).toFixed(1)} GB over standard input, dry run | ${whole(stream.seconds)}; ${stream.residentMb} MB resident |`,
  ];
  return `${lines.join('\n')}\n`;
}

function log(line) {
  process.stderr.write(`${line}\n`);
}
