/**
 * The same made-up names in four engines, the same questions to each:
 *
 *   node discovery.mjs [--rows 100000,1000000] [--engines bowerbird,trigram,sqlite,duckdb] [--work FOLDER] [--repeats 5]
 *
 * Loaded data and measurements are kept in the work folder: --load-only stops after loading, and a later run with other sizes or
 * engines adds to the table. Prints it and writes results/discovery.{json,md,svg}. Every answer is compared with
 * Bowerbird's.
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
import { askAll, round } from './asking.mjs';
import { makeQueries } from './queries.mjs';
import { startServer } from './server.mjs';
import { summarise, toTable } from './tables.mjs';

const ENGINES = { bowerbird: Bowerbird, trigram: PostgresTrigram, sqlite: SqliteTrigram, duckdb: DuckDb };
const SIZES = [100_000, 1_000_000, 5_000_000, 10_000_000];
const RESULTS = new URL('results/', import.meta.url);

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000,1000000' },
    engines: { type: 'string', default: Object.keys(ENGINES).join(',') },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    repeats: { type: 'string', default: '5' },
    'load-only': { type: 'boolean', default: false },
  },
});
await mkdir(values.work, { recursive: true });

const server = await startServer(values.work);
try {
  for (const rows of values.rows.split(',').map(Number)) {
    const file = await makeNames(join(values.work, `names-${rows}.csv`), rows);
    for (const name of values.engines.split(',')) {
      const context = { file, data: rows, server, work: values.work };
      await loadOnce(name, context);
      if (!values['load-only']) await measure(name, context);
    }
  }
} finally {
  await server.close();
}
if (!values['load-only']) await report();

/** What was loaded is loaded again only when its note is not there, so half a load is never taken for a whole one. */
async function loadOnce(name, context) {
  if (await readNote('loaded', name, context.data)) return;
  const start = performance.now();
  await ENGINES[name].load(context);
  const seconds = round((performance.now() - start) / 1000);
  await writeNote('loaded', name, context.data, { seconds });
  log(`${context.data} rows, ${name}: loaded in ${seconds} s`);
}

async function measure(name, context) {
  const queries = makeQueries(await readLabels(context.file));
  const engine = await ENGINES[name].open(context);
  const asked = await askAll(engine, queries, Number(values.repeats)).finally(() => engine.close());
  const measured = { finished: new Date().toISOString(), repeats: Number(values.repeats), ...asked };
  await writeNote('measured', name, context.data, measured);
  log(`${context.data} rows, ${name}: ${JSON.stringify(summarise(queries, asked.times))}`);
}

async function report() {
  const runs = [];
  for (const rows of SIZES) {
    const expected = await readNote('measured', 'bowerbird', rows);
    if (!expected) continue;
    const queries = makeQueries(await readLabels(join(values.work, `names-${rows}.csv`)));
    const engines = {};
    for (const name of Object.keys(ENGINES)) {
      const measured = await readNote('measured', name, rows);
      if (!measured) continue;
      const { times, answers, timedOut, finished, repeats } = measured;
      const { seconds } = await readNote('loaded', name, rows);
      // What an engine gave up has no answer to compare.
      const wrong = answers.filter((answer, place) => answer !== null && answer !== expected.answers[place]);
      engines[name] = {
        ...{ loadedInSeconds: seconds, finished, repeats, timedOut, wrong: wrong.length },
        ...summarise(queries, times),
      };
    }
    runs.push({ rows, queries: queries.length, engines });
  }
  const result = { machine: describeMachine(), runs };
  await mkdir(RESULTS, { recursive: true });
  await writeFile(new URL('discovery.json', RESULTS), `${JSON.stringify(result, null, 1)}\n`);
  await writeFile(new URL('discovery.md', RESULTS), toTable(result));
  await writeFile(new URL('discovery.svg', RESULTS), drawGrowth(runs));
  process.stdout.write(toTable(result));
}

async function readNote(kind, name, rows) {
  const text = await readFile(notePath(kind, name, rows), 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return text && JSON.parse(text);
}

function writeNote(kind, name, rows, note) {
  return writeFile(notePath(kind, name, rows), JSON.stringify(note));
}

function notePath(kind, name, rows) {
  return join(values.work, `${kind}-${name}-${rows}.json`);
}

function log(line) {
  process.stderr.write(`${line}\n`);
}
