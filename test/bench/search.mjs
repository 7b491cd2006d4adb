/**
 * Search as the service asks it, beside the plain SQL that a user would write on the same table with the same indexes:
 *
 *   node search.mjs [--rows 10000000] [--work FOLDER]
 *
 * Every order each way, with filters from none to rare, and pages a hundred thousand names deep: a page of 25 and the count
 * to 10,000, against ORDER BY with LIMIT and OFFSET and count(*). Answers are compared. Needs the names that discovery.mjs
 * has loaded. Prints a table and writes results/search.{json,md}.
 */
import pg from 'pg';
import { mkdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { orderBy, sortTerms } from '../../dist/src/domains/discovery/sort-order.js';
import { filterConditions } from '../../dist/src/domains/discovery/name-filter.js';
import { Bowerbird } from './engines/bowerbird.mjs';
import { describeMachine } from './machine.mjs';
import { startServer } from './server.mjs';
import { ms, percentiles } from './tables.mjs';

const PAGE = 25;
const MAX_COUNTED = 10_001;
const DEPTH = 100_000;
const REPEATS = 3;
/** What plain SQL may take before it is given up; its time is then taken as this, which flatters it. */
const PATIENCE_MS = 1_000;
const RESULTS = new URL('results/', import.meta.url);

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000000' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
  },
});
const server = await startServer(values.work);
const bowerbird = await Bowerbird.open({ data: values.rows, server });
const plain = new pg.Client({ connectionString: server.urlOf(`bowerbird_${values.rows}`) });
await plain.connect();
await plain.query(`SET statement_timeout = ${PATIENCE_MS}`);
try {
  const questions = await makeQuestions();
  const measured = [];
  for (const question of questions) measured.push({ ...question, ...(await measure(question)) });
  const result = {
    machine: describeMachine(),
    finished: new Date().toISOString(),
    rows: Number(values.rows),
    measured,
  };
  await mkdir(RESULTS, { recursive: true });
  await writeFile(new URL('search.json', RESULTS), `${JSON.stringify(result, null, 1)}\n`);
  await writeFile(new URL('search.md', RESULTS), toTable(result));
  process.stdout.write(toTable(result));
} finally {
  await plain.end();
  await bowerbird.close();
  await server.close();
}

async function makeQuestions() {
  const [{ day, early }] = (
    await plain.query(
      `SELECT to_char(max(first_seen), 'YYYY-MM-DD') AS day, to_char(min(first_seen) + 30, 'YYYY-MM-DD') AS early FROM domain`,
    )
  ).rows;
  const all = { mode: 'contains', suffixes: [], minWayback: 0 };
  const filters = [
    {},
    { suffixes: ['com.au'] },
    { suffixes: ['id.au', 'asn.au'] },
    { q: 'coffee' },
    { q: 'shop', mode: 'prefix' },
    { q: 'online', mode: 'suffix' },
    { q: 'xqzvk' },
    { q: 'e' },
    { hyphens: 'only' },
    { numbers: 'only' },
    { hyphens: 'exclude', numbers: 'exclude', maxLength: 4 },
    { minLength: 30 },
    { minLength: 8, maxLength: 8 },
    { minWayback: 1_000 },
    { minWayback: 1, maxWayback: 9 },
    { firstSeenFrom: day },
    { firstSeenTo: early },
    { q: 'auto', suffixes: ['com.au'], hyphens: 'exclude', minWayback: 10 },
    { q: 'a', hyphens: 'only', numbers: 'only' },
  ];
  const orders = ['wayback', 'first_seen', 'length', 'domain'].flatMap((key) =>
    ['desc', 'asc'].map((direction) => ({ key, direction })),
  );
  const pages = orders.flatMap((sort) =>
    filters.map((filter) => ({ sort, filter: { ...all, ...filter }, shown: filter, isDeep: false })),
  );
  const deep = orders.flatMap((sort) =>
    [{}, { suffixes: ['com.au'] }].map((filter) => ({
      sort,
      filter: { ...all, ...filter },
      shown: filter,
      isDeep: true,
    })),
  );
  return [...pages, ...deep];
}

async function measure({ sort, filter, isDeep }) {
  const after = isDeep ? await positionAt(sort, filter, DEPTH - 1) : undefined;
  const times = [];
  let answer;
  for (let round = 0; round <= REPEATS; round += 1) {
    const start = performance.now();
    const [page, total] = await Promise.all([
      bowerbird.repository.discoverDomains({ ...filter, sort, after, limit: PAGE + 1 }),
      bowerbird.repository.countDomains(filter, MAX_COUNTED),
    ]);
    const took = performance.now() - start;
    // The first asking warms up, unless it was slow: once is enough then.
    if (round > 0 || took > PATIENCE_MS / 4) times.push(took);
    answer = { page, total };
    if (took > PATIENCE_MS / 4) break;
  }
  const theirs = await askPlainly(sort, filter, isDeep ? DEPTH : 0);
  const names = answer.page.domains.map(({ domain }) => domain);
  const differs = theirs.names !== null && !answer.page.timedOut && names.join() !== theirs.names.join();
  return {
    ours: times.toSorted((one, other) => one - other)[times.length >> 1],
    timedOut: answer.page.timedOut,
    uncounted: answer.total === null,
    plain: theirs.took,
    givenUp: theirs.names === null,
    differs,
  };
}

async function askPlainly(sort, filter, offset) {
  const start = performance.now();
  let names = null;
  try {
    const { where, values } = whereOf(filter);
    const { rows } = await plain.query(
      `SELECT * FROM domain WHERE ${where} ORDER BY ${orderBy(sortTerms(sort))} LIMIT ${PAGE + 1} OFFSET ${offset}`,
      values,
    );
    await plain.query(`SELECT count(*) FROM domain WHERE ${where}`, values);
    names = rows.map(({ domain }) => domain);
  } catch (error) {
    if (error.code !== '57014') throw error;
  }
  return { names, took: performance.now() - start };
}

async function positionAt(sort, filter, place) {
  await plain.query('SET statement_timeout = 0');
  const { where, values } = whereOf(filter);
  const { rows } = await plain.query(
    `SELECT domain, wayback, length, to_char(first_seen, 'YYYY-MM-DD') AS "firstSeen" FROM domain
      WHERE ${where} ORDER BY ${orderBy(sortTerms(sort))} LIMIT 1 OFFSET ${place}`,
    values,
  );
  await plain.query(`SET statement_timeout = ${PATIENCE_MS}`);
  return rows[0];
}

function whereOf(filter) {
  const values = [];
  const conditions = filterConditions(filter, (value) => `$${values.push(value)}`);
  return { where: ['available', 'NOT hidden', ...conditions].join(' AND '), values };
}

function toTable({ machine, finished, rows, measured }) {
  const groups = [...new Set(measured.map(({ sort, isDeep }) => nameOf(sort, isDeep)))];
  const lines = groups.map((group) => {
    const own = measured.filter(({ sort, isDeep }) => nameOf(sort, isDeep) === group);
    const ours = percentiles(own.map((one) => one.ours));
    const theirs = percentiles(own.map((one) => one.plain));
    const count = (key) => own.filter((one) => one[key]).length;
    return `| ${group} | ${own.length} | ${ms(ours.p50)} | ${ms(ours.p99)} | ${count('timedOut')} | ${count('uncounted')} | ${ms(theirs.p50)} | ${ms(theirs.p99)} | ${count('givenUp')} |`;
  });
  const slowest = measured.toSorted((one, other) => other.ours - one.ours).slice(0, 5);
  const wrong = measured.filter(({ differs }) => differs);
  return `${machine}; ${finished.slice(0, 10)}. ${rows.toLocaleString('en-AU')} names; a page of ${PAGE} and the count to 10,000, in ms. Plain SQL is given up after ${PATIENCE_MS / 1000} s a statement.

| order | questions | p50 | p99 | timed out | not counted | plain p50 | plain p99 | plain given up |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
${lines.join('\n')}

Slowest: ${slowest.map(({ sort, shown, ours }) => `${nameOf(sort)} ${JSON.stringify(shown)} ${ms(ours)}`).join('; ')}.
${wrong.length === 0 ? 'Every answer is the same.' : `${wrong.length} ANSWERS DIFFER: ${wrong.map(({ sort, shown }) => `${nameOf(sort)} ${JSON.stringify(shown)}`).join('; ')}`}
`;
}

function nameOf({ key, direction }, isDeep = false) {
  return `\`${key}_${direction}\`${isDeep ? `, ${DEPTH.toLocaleString('en-AU')} deep` : ''}`;
}
