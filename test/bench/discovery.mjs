/**
 * The same made-up names in four engines, the same questions to each, in one run:
 *
 *   node discovery.mjs [--rows 100000,1000000] [--engines bowerbird,trigram,sqlite,duckdb] [--work FOLDER] [--repeats 5]
 *
 * Prints a table and writes results/discovery.{json,md,svg}. Every answer is compared with the first engine's.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drawGrowth } from './chart.mjs';
import { Bowerbird } from './engines/bowerbird.mjs';
import { DuckDb } from './engines/duckdb.mjs';
import { SqliteTrigram } from './engines/sqlite-trigram.mjs';
import { PostgresTrigram } from './engines/postgres-trigram.mjs';
import { describeMachine } from './machine.mjs';
import { makeNames, readLabels } from './names.mjs';
import { describeQuery, makeQueries } from './queries.mjs';
import { startServer } from './server.mjs';
import { percentiles, toTable } from './tables.mjs';

const ENGINES = { bowerbird: Bowerbird, trigram: PostgresTrigram, sqlite: SqliteTrigram, duckdb: DuckDb };
const RESULTS = new URL('results/', import.meta.url);
// A question this slow is asked once and not again: its time is plain enough.
const SLOW_MS = 250;

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000,1000000' },
    engines: { type: 'string', default: Object.keys(ENGINES).join(',') },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    repeats: { type: 'string', default: '5' },
  },
});
const repeats = Number(values.repeats);
await mkdir(values.work, { recursive: true });
await mkdir(RESULTS, { recursive: true });

const runs = [];
const server = await startServer(values.work);
try {
  for (const rows of values.rows.split(',').map(Number)) runs.push(await run(rows));
} finally {
  await server.close();
}
const result = { machine: await describeMachine(), finished: new Date().toISOString(), repeats, runs };
await writeFile(new URL('discovery.json', RESULTS), `${JSON.stringify(result, null, 1)}\n`);
await writeFile(new URL('discovery.md', RESULTS), toTable(result));
await writeFile(new URL('discovery.svg', RESULTS), drawGrowth(runs));
process.stdout.write(await readFile(new URL('discovery.md', RESULTS), 'utf8'));

async function run(rows) {
  const file = await makeNames(join(values.work, `names-${rows}.csv`), rows);
  const queries = makeQueries(await readLabels(file));
  const engines = {};
  let expected;
  for (const name of values.engines.split(',')) {
    const engine = await ENGINES[name].open({ file, rows, server, work: values.work });
    log(`${rows} rows, ${name}: ${engine.loading}`);
    const { answers, times, timedOut } = await measure(engine, queries);
    await engine.close();
    expected ??= answers;
    const wrong = queries.filter((_, place) => answers[place] !== expected[place]);
    for (const query of wrong.slice(0, 5)) log(`${name} answers otherwise: ${describeQuery(query)}`);
    engines[name] = { loading: engine.loading, timedOut, wrong: wrong.length, ...summarise(queries, times) };
    log(JSON.stringify(engines[name]));
  }
  return { rows, queries: queries.length, engines };
}

/** Each question is asked once to warm up and then `repeats` times; its time is the median. */
async function measure(engine, queries) {
  const answers = queries.map(() => '');
  const times = queries.map(() => []);
  let timedOut = 0;
  for (let round = 0; round <= repeats; round += 1) {
    for (const [place, query] of queries.entries()) {
      if (times[place][0] > SLOW_MS) continue;
      const start = performance.now();
      const answer = await engine.ask(query);
      const took = performance.now() - start;
      if (round > 0 || took > SLOW_MS) times[place].push(took);
      if (round === 0) answers[place] = answer.domains.join('\n');
      if (answer.timedOut) timedOut += 1;
    }
  }
  return { answers, times: times.map(median), timedOut };
}

function summarise(queries, times) {
  const of = (limit) => percentiles(times.filter((_, place) => queries[place].limit === limit));
  const slowest = times
    .map((ms, place) => ({ ms: round(ms), query: describeQuery(queries[place]) }))
    .sort((one, other) => other.ms - one.ms)
    .slice(0, 3);
  return { limit10: of(10), limit50: of(50), slowest };
}

function median(numbers) {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1];
}

function round(ms) {
  return Number(ms.toPrecision(3));
}

function log(line) {
  process.stderr.write(`${line}\n`);
}
