/**
 * Data and questions chosen to be slow:
 *
 *   node adversarial.mjs [--rows 5000000] [--work FOLDER] [--only equal,zero,distinct,crafted]
 *
 * Every answer is compared with a full scan by DuckDB; of one that the time cap cut off, the rows must be the head of the
 * true answer. What was measured before is kept in the work folder. Prints a table and writes results/adversarial.{json,md}.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { round } from './asking.mjs';
import { Bowerbird } from './engines/bowerbird.mjs';
import { DuckDb } from './engines/duckdb.mjs';
import { describeMachine } from './machine.mjs';
import { makeNames, readLabels } from './names.mjs';
import { describeQuery, makeQueries, queriesFor } from './queries.mjs';
import { startServer } from './server.mjs';
import { ms, percentiles } from './tables.mjs';

const REPEATS = 2;
const SLOW_MS = 50;
const SHARED_PREFIX = 'australia';
/** Of five million names, 312,500. */
const SHARED_BY_EVERY = 16;
const RARE_SUFFIX = 'asn.au';
const RARE_NAMES = 10;
/** Each piece of four characters is in a thousandth of all names; the whole is in these alone, which have no score. */
const BURIED = ['interanders', 'stationering', 'tionerings'];
// How many names of the rare suffix there are so far.
let rare = 0;
const RESULTS = new URL('results/', import.meta.url);

/** What becomes of a made-up row, and which questions are asked beside the usual ones. */
const CASES = {
  equal: { title: 'all scores equal (7)', change: (row) => ({ ...row, wayback: 7 }) },
  zero: { title: 'all scores zero', change: (row) => ({ ...row, wayback: 0 }) },
  // The place times a prime, modulo another: every score once, in no order.
  distinct: {
    title: 'every score once',
    change: (row, place) => ({ ...row, wayback: (place * 7_368_787) % 15_485_863 }),
  },
  crafted: {
    title: `every ${SHARED_BY_EVERY}th name has one prefix, ten names have ${RARE_SUFFIX}, and of some patterns only names without a score have the whole`,
    change: craft,
    patterns: [
      SHARED_PREFIX,
      SHARED_PREFIX.slice(0, 4),
      SHARED_PREFIX.slice(3),
      `${SHARED_PREFIX}9`,
      ...BURIED,
    ],
  },
};

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '5000000' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    only: { type: 'string', default: Object.keys(CASES).join(',') },
  },
});
const rows = Number(values.rows);
await mkdir(values.work, { recursive: true });
const names = await makeNames(join(values.work, `names-${rows}.csv`), rows);
const labels = await readLabels(names);

const server = await startServer(values.work);
try {
  for (const name of values.only.split(',').filter(Boolean)) {
    const measured = { finished: new Date().toISOString(), ...(await run(name, CASES[name])) };
    await writeFile(notePath(name), JSON.stringify(measured));
    process.stderr.write(`${name}: ${JSON.stringify(measured)}\n`);
  }
} finally {
  await server.close();
}
const result = { machine: describeMachine(), rows, cases: {} };
for (const name of Object.keys(CASES)) {
  const text = await readFile(notePath(name), 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (text) result.cases[name] = JSON.parse(text);
}
await mkdir(RESULTS, { recursive: true });
await writeFile(new URL('adversarial.json', RESULTS), `${JSON.stringify(result, null, 1)}\n`);
await writeFile(new URL('adversarial.md', RESULTS), toTable(result));
process.stdout.write(toTable(result));

function notePath(name) {
  return join(values.work, `adversarial-${name}-${rows}.json`);
}

async function run(name, { title, change, patterns = [] }) {
  const data = `adversarial_${name}`;
  const context = { data, file: join(values.work, `${data}.csv`), server, work: values.work };
  await writeCase(context.file, change);
  await DuckDb.load(context);
  await Bowerbird.load(context);
  const queries = [
    ...makeQueries(labels),
    ...queriesFor(patterns),
    // Where most rows of a page have to be looked for.
    ...queriesFor([...patterns, 'coffee', 'ing', '-']).map((query) => ({ ...query, limit: 100 })),
  ];
  const [oracle, engine] = [await DuckDb.open(context), await Bowerbird.open(context)];
  const asked = [];
  for (let turn = 0; turn <= REPEATS; turn += 1)
    for (const [place, query] of queries.entries()) {
      const start = performance.now();
      const answer = await engine.ask(query);
      const took = performance.now() - start;
      asked[place] ??= { query, answer, times: [] };
      // The first asking warms up.
      if (turn > 0) asked[place].times.push(took);
      asked[place].timedOut ||= answer.timedOut;
    }
  let wrong = 0;
  for (const { query, answer } of asked) {
    const { domains } = await oracle.ask(query);
    const due = answer.timedOut ? domains.slice(0, answer.domains.length) : domains;
    if (due.join() === answer.domains.join()) continue;
    wrong += 1;
    process.stderr.write(`wrong answer: ${describeQuery(query)}\n`);
  }
  await engine.close();
  await oracle.close();
  await server.dropDatabase(`bowerbird_${data}`);
  await rm(context.file);
  await rm(DuckDb.pathOf(context));
  const worst = asked.map(({ query, times, timedOut }) => ({
    ms: round(Math.max(...times)),
    ...(timedOut && { timedOut }),
    query: describeQuery(query),
  }));
  return {
    ...{ title, questions: queries.length, wrong },
    timedOut: worst.filter(({ timedOut }) => timedOut).length,
    ...percentiles(worst.map((one) => one.ms)),
    slow: worst.filter((one) => one.ms > SLOW_MS).length,
    slowest: worst.sort((one, other) => other.ms - one.ms).slice(0, 5),
  };
}

async function writeCase(path, change) {
  async function* lines() {
    let place = -1;
    let text = 'domain,wayback,first_seen\n';
    for await (const line of createInterface({ input: createReadStream(names) })) {
      place += 1;
      if (place === 0) continue;
      const [domain, wayback, firstSeen] = line.split(',');
      const row = change({ domain, wayback, firstSeen }, place);
      text += `${row.domain},${row.wayback},${row.firstSeen}\n`;
      if (text.length < 65_536) continue;
      yield text;
      text = '';
    }
    yield text;
  }
  await pipeline(lines, createWriteStream(path));
}

function craft({ domain, wayback, firstSeen }, place) {
  const dot = domain.indexOf('.');
  const [label, suffix] = [domain.slice(0, dot), domain.slice(dot + 1)];
  if (place <= BURIED.length) return { domain: `${BURIED[place - 1]}.com.au`, wayback: 0, firstSeen };
  // A digit in the middle: no made-up name has one there and the prefix too.
  if (place % SHARED_BY_EVERY === 0)
    return { domain: `${SHARED_PREFIX}${place}${label.slice(0, 30)}.com.au`, wayback, firstSeen };
  if (suffix !== RARE_SUFFIX || (rare += 1) <= RARE_NAMES) return { domain, wayback, firstSeen };
  return { domain: `${label}-${place}.com.au`, wayback, firstSeen };
}

function toTable({ machine, rows, cases }) {
  const finished =
    Object.values(cases)
      .map((one) => one.finished)
      .toSorted()
      .at(-1) ?? '';
  const line = ({ title, questions, p50, p99, max, slow, timedOut, wrong, slowest: [worst] }) =>
    `| ${title} | ${questions} | ${[p50, p99, max].map(ms).join(' | ')} | ${slow} | ${timedOut} | ${wrong} | ${worst.query} |`;
  return `${machine}; ${finished.slice(0, 10)}. ${rows.toLocaleString('en-AU')} names; milliseconds, the slower of ${REPEATS} askings counts.

| names | questions | p50 | p99 | max | above ${SLOW_MS} ms | timed out | wrong | slowest |
|---|---:|---:|---:|---:|---:|---:|---:|---|
${Object.values(cases).map(line).join('\n')}
`;
}
