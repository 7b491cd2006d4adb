/**
 * Search as the service asks it, a page of 25 and the count, beside another checkout and the plain SQL that a user would write:
 *
 *   node search.mjs [--rows 10000000] [--work FOLDER] [--database NAME] [--repeats 3] [--beside CHECKOUT] [--plain]
 *
 * Every order each way with 55 filters, and rows a hundred thousand deep; each question is asked first by an instance that remembers
 * no count, and again by the same one, as when the next page or another order is asked for. With --beside, another checkout (with its
 * node_modules, built) asks the same database in turns, and with --plain so do ORDER BY with LIMIT and count(*) over the same indexes.
 * Answers are compared. CPU time is that of PostgreSQL's sessions and of this process: it hardly depends on what else the
 * machine does, and is no more than what a machine with nothing else to do would take. Needs the names that discovery.mjs has
 * loaded. Prints a table and writes results/search.{json,md}. Linux only.
 */
import pg from 'pg';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { orderBy, sortTerms } from '../../dist/src/domains/search/sort-order.js';
import { filterConditions } from '../../dist/src/domains/search/name-filter.js';
import { round } from './asking.mjs';
import { openRepository } from './engines/bowerbird.mjs';
import { describeMachine } from './machine.mjs';
import { DEPTH, makeSearchQuestions } from './search-questions.mjs';
import { startServer } from './server.mjs';
import { ms, percentiles } from './tables.mjs';

const PAGE = 25;
const MAX_COUNTED = 10_001;
/** What plain SQL may take before it is given up; its time is then taken as this, which flatters it. */
const PATIENCE_MS = 1_000;
const HERE = fileURLToPath(new URL('../..', import.meta.url));
const RESULTS = new URL('results/', import.meta.url);

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000000' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    database: { type: 'string' },
    repeats: { type: 'string', default: '3' },
    beside: { type: 'string' },
    plain: { type: 'boolean', default: false },
  },
});
const server = await startServer(values.work);
const url = server.urlOf(values.database ?? `bowerbird_${values.rows}`);
const looking = new pg.Client({ connectionString: url });
await looking.connect();
const checkouts = [];
const sides = [];
for (const [name, folder] of [
  ['Bowerbird', HERE],
  ...(values.beside ? [['the other checkout', resolve(values.beside)]] : []),
]) {
  const checkout = await openRepository(url, folder);
  checkouts.push(checkout);
  let repository = checkout.fresh();
  const first = () => (repository = checkout.fresh());
  sides.push({ name: `${name}, first`, open: first }, { name: `${name}, again`, open: () => repository });
}
try {
  const questions = makeSearchQuestions(await readDays());
  for (const question of questions)
    if (question.isDeep) question.after = await positionAt(question, DEPTH - 1);
  const asked = questions.map(() => sides.map(() => ({ wall: [], cpu: [] })));
  // All questions before any comes again, and the sides in turns.
  for (let round = 0; round <= Number(values.repeats); round += 1)
    for (const [place, question] of questions.entries())
      for (const [at, side] of sides.entries()) await ask(side, question, asked[place][at], round);
  const measured = [];
  for (const [place, question] of questions.entries()) {
    const plain = values.plain ? await askPlainly(question) : null;
    measured.push({ ...question, sides: asked[place].map(summarise), plain });
  }
  const result = {
    machine: describeMachine(),
    finished: new Date().toISOString(),
    rows: Number(values.rows),
    measured,
  };
  await mkdir(RESULTS, { recursive: true });
  const lines = measured.map(({ sort, shown, isDeep, sides: asked }) =>
    JSON.stringify({ sort, shown, isDeep, sides: asked.map(withoutNames) }),
  );
  await writeFile(
    new URL('search.json', RESULTS),
    `${JSON.stringify({ ...result, measured: undefined }).slice(0, -1)},"measured":[\n${lines.join(',\n')}\n]}\n`,
  );
  await writeFile(new URL('search.md', RESULTS), toTable(result));
  process.stdout.write(toTable(result));
} finally {
  await looking.end();
  for (const checkout of checkouts) await checkout.close();
  await server.close();
}

async function readDays() {
  const { rows } = await looking.query(
    `SELECT to_char(max(first_seen), 'YYYY-MM-DD') AS last, to_char(min(first_seen) + 30, 'YYYY-MM-DD') AS early,
            to_char(max(first_seen) - 200, 'YYYY-MM-DD') AS middle, to_char(date_trunc('month', max(first_seen) - 300), 'YYYY-MM-DD') AS from,
            to_char(date_trunc('month', max(first_seen) - 300) + interval '1 month - 1 day', 'YYYY-MM-DD') AS to FROM domain`,
  );
  const [{ last, early, middle, from, to }] = rows;
  return { last, early, middle, month: { firstSeenFrom: from, firstSeenTo: to } };
}

async function ask({ open }, { sort, filter, after }, asked, round) {
  const repository = open();
  const sessions = await findSessions();
  const before = await cpuMs(sessions);
  const start = performance.now();
  const page = await askPage(repository, { ...filter, sort, after, limit: PAGE + 1 }, filter);
  const { counted } = page;
  const took = performance.now() - start;
  // The first asking warms up.
  if (round > 0) {
    asked.wall.push(took);
    asked.cpu.push((await cpuMs(sessions)) - before);
  }
  asked.names = page.timedOut ? null : page.domains.map(({ domain }) => domain).join();
  asked.total = typeof counted === 'number' ? counted : (counted?.total ?? null);
  asked.isCounted = counted !== null && !(counted.isCapped && counted.total < MAX_COUNTED - 1);
}

/** As the service of that checkout does: earlier ones ask for the page and the count apart. */
async function askPage(repository, query, filter) {
  if (repository.discoverPage) return repository.discoverPage(query);
  const [page, counted] = await Promise.all([
    repository.discoverDomains(query),
    repository.countDomains(filter, MAX_COUNTED),
  ]);
  return { ...page, counted };
}

/** Every session of the database but the one that looks. New ones are few, and count as no time. */
async function findSessions() {
  const { rows } = await looking.query(
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  return rows.map(({ pid }) => pid);
}

// In ns; the ticks of /proc/PID/stat are 10 ms.
async function cpuMs(sessions) {
  const { user, system } = process.cpuUsage();
  const times = await Promise.all(
    sessions.map((pid) => readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => '0')),
  );
  return (user + system) / 1_000 + times.reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1e6, 0);
}

function summarise({ wall, cpu, names, total, isCounted }) {
  const median = (times) => times.toSorted((one, other) => one - other)[times.length >> 1];
  return { wall: median(wall), cpu: median(cpu), names, total, isCounted };
}

function withoutNames({ wall, cpu, names, total, isCounted }) {
  return { wall: round(wall), cpu: round(cpu), timedOut: names === null, total, isCounted };
}

async function askPlainly({ sort, filter, isDeep }) {
  const start = performance.now();
  await looking.query(`SET statement_timeout = ${PATIENCE_MS}`);
  try {
    const { where, parameters } = whereOf(filter);
    const { rows } = await looking.query(
      `SELECT domain FROM domain WHERE ${where} ORDER BY ${orderBy(sortTerms(sort))} LIMIT ${PAGE + 1} OFFSET ${isDeep ? DEPTH : 0}`,
      parameters,
    );
    const found = await looking.query(`SELECT count(*)::int AS count FROM domain WHERE ${where}`, parameters);
    return {
      wall: performance.now() - start,
      names: rows.map(({ domain }) => domain).join(),
      total: found.rows[0].count,
    };
  } catch (error) {
    if (error.code !== '57014') throw error;
    return { wall: performance.now() - start, names: null, total: null };
  } finally {
    await looking.query('SET statement_timeout = 0');
  }
}

async function positionAt({ sort, filter }, place) {
  const { where, parameters } = whereOf(filter);
  const { rows } = await looking.query(
    `SELECT domain, wayback, length, to_char(first_seen, 'YYYY-MM-DD') AS "firstSeen" FROM domain
      WHERE ${where} ORDER BY ${orderBy(sortTerms(sort))} LIMIT 1 OFFSET ${place}`,
    parameters,
  );
  return rows[0];
}

function whereOf(filter) {
  const parameters = [];
  const conditions = filterConditions(filter, (value) => `$${parameters.push(value)}`);
  return { where: ['available', 'NOT hidden', ...conditions].join(' AND '), parameters };
}

function toTable({ machine, finished, rows, measured }) {
  const groups = [
    ['all', measured],
    ['without a keyword', measured.filter(({ shown }) => shown.q === undefined)],
    ['with a keyword', measured.filter(({ shown }) => shown.q !== undefined)],
    ...['wayback', 'first_seen', 'length', 'domain'].map((key) => [
      `by \`${key}\``,
      measured.filter(({ sort }) => sort.key === key),
    ]),
    [`${DEPTH.toLocaleString('en-AU')} deep`, measured.filter(({ isDeep }) => isDeep)],
  ];
  const lines = sides.flatMap(({ name }, at) =>
    groups.map(([group, own]) => {
      const cpu = percentiles(own.map((one) => one.sides[at].cpu));
      const wall = percentiles(own.map((one) => one.sides[at].wall));
      const count = (isSo) => own.filter((one) => isSo(one.sides[at])).length;
      const cells = [
        name,
        group,
        own.length,
        ...[cpu.p50, cpu.p99, cpu.max, wall.p50, wall.p99, wall.max].map(ms),
        count(({ names }) => names === null),
        count(({ isCounted }) => !isCounted),
      ];
      return `| ${cells.join(' | ')} |`;
    }),
  );
  const slowest = [0, 1].map((at) =>
    measured
      .toSorted((one, other) => other.sides[at].cpu - one.sides[at].cpu)
      .slice(0, 8)
      .map(
        ({ sort, shown, sides }) =>
          `\`${sort.key}_${sort.direction}\` ${JSON.stringify(shown)} ${ms(sides[at].cpu)}`,
      )
      .join('; '),
  );
  const wrong = measured.filter(differs);
  return `${machine}; ${finished.slice(0, 10)}. ${rows.toLocaleString('en-AU')} names; a page of ${PAGE} and its count, in ms: CPU time of PostgreSQL and of the process that asks, and time by the clock beside whatever else the machine did. The median of ${values.repeats} askings counts. First: by an instance that remembers no count; again: by the same one, right behind.

| asked by | questions | number | CPU p50 | p99 | max | clock p50 | p99 | max | timed out | not counted |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|
${lines.join('\n')}

Most CPU time, first: ${slowest[0]}.

And again: ${slowest[1]}.

${wrong.length === 0 ? 'Every answer is the same.' : `${wrong.length} ANSWERS DIFFER: ${wrong.map(({ sort, shown }) => `${sort.key}_${sort.direction} ${JSON.stringify(shown)}`).join('; ')}`}
`;
}

/** Whether two answers that are whole are not the same. Totals agree as far as both were counted. */
function differs({ sides: asked, plain }) {
  const [ours, ...others] = [...asked, ...(plain ? [plain] : [])];
  const cut = (total) => Math.min(total, MAX_COUNTED - 1);
  return others.some(
    ({ names, total, isCounted = true }) =>
      (names !== null && ours.names !== null && names !== ours.names) ||
      (total !== null && isCounted && ours.isCounted && cut(total) !== cut(ours.total)),
  );
}
