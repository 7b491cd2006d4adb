/**
 * The questions of suggest and of search in two checkouts of the product, each on a database of its own with the same names:
 *
 *   node beside.mjs --beside FOLDER [--rows 10000000] [--work FOLDER] [--rounds 5]
 *
 * FOLDER is a built checkout of another commit, whose names lie in the database beside_ROWS; ours in bowerbird_ROWS (discovery.mjs
 * loads them). Every question is asked of both before the next is, whichever is first taking turns, so that a busy
 * moment meets both. Measured are the time of an answer, the least of all rounds, and the CPU time of PostgreSQL for it, the
 * median. Answers are compared. Prints a table and writes results/beside.{json,md}.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { cpuMsOfBackend } from './backend-cpu.mjs';
import { describeMachine } from './machine.mjs';
import { makeNames, readLabels } from './names.mjs';
import { openDiscovery } from './open-discovery.mjs';
import { describeQuery, makeQueries } from './queries.mjs';
import { startServer } from './server.mjs';
import { ms, percentiles } from './tables.mjs';

const HERE = new URL('../../', import.meta.url);
const RESULTS = new URL('results/', import.meta.url);
const PAGE = 25;
/** Longer than any question should take: what is measured is the question and not the cap. */
const CAP_MS = 5_000;

const { values } = parseArgs({
  options: {
    beside: { type: 'string' },
    rows: { type: 'string', default: '10000000' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    rounds: { type: 'string', default: '5' },
  },
});
const rounds = Number(values.rounds);
const rows = Number(values.rows);
const server = await startServer(values.work);
const theirRoot = pathToFileURL(`${values.beside}/`);
const sides = [];
try {
  sides.push(await openSide('before', theirRoot, server.urlOf(`beside_${rows}`)));
  sides.push(await openSide('after', HERE, server.urlOf(`bowerbird_${rows}`)));
  const labels = await readLabels(await makeNames(join(values.work, `names-${rows}.csv`), rows));
  const suggest = makeQueries(labels).map((query) => ({
    query: toDiscovery(query),
    shown: describeQuery(query),
  }));
  const result = {
    machine: describeMachine(),
    finished: new Date().toISOString(),
    commits: { before: commitOf(theirRoot), after: commitOf(HERE) },
    rows,
    rounds,
    groups: {
      suggest: await measure('suggest', suggest),
      search: await measure('search', searchQuestions()),
    },
  };
  await mkdir(RESULTS, { recursive: true });
  await writeFile(new URL('beside.json', RESULTS), `${JSON.stringify(result, null, 1)}\n`);
  await writeFile(new URL('beside.md', RESULTS), toTable(result));
  process.stdout.write(toTable(result));
} finally {
  for (const side of sides) await side.close();
  await server.close();
}

async function openSide(name, root, url) {
  const load = (path) => import(new URL(`dist/src/${path}`, root).href);
  await load('../../node_modules/reflect-metadata/Reflect.js');
  const { createDataSource } = await load('db/data-source.js');
  const { Database } = await load('db/database.js');
  const { NameSampler } = await load('domains/search/name-sampler.js');
  const dataSource = createDataSource(url, 1, () => undefined);
  await dataSource.initialize();
  const database = new Database(dataSource);
  const sampler = new NameSampler(database);
  // One session, so that its process is known.
  const discovery = await openDiscovery(load, database, sampler, { capMs: CAP_MS, poolSize: 1 });
  const { repository } = discovery;
  return {
    name,
    /** The process that answers; another after a rest of half a minute. */
    async findPid() {
      const { rows } = await discovery.query({ text: 'SELECT pg_backend_pid() AS pid', values: [] });
      return rows[0].pid;
    },
    // As each checkout's suggest and search ask: earlier ones read whole rows for both.
    suggest: (query) => repository[repository.discoverOffers ? 'discoverOffers' : 'discoverDomains'](query),
    search: (query) => repository.discoverDomains(query),
    /** The sample decides how a question is asked, and luck what is in it: each round has another. */
    async drawSample() {
      sampler.sample = null;
      await sampler.refresh();
    },
    async close() {
      await discovery.close();
      await dataSource.destroy();
    },
  };
}

function toDiscovery({ q, mode, tld, minWayback, limit }) {
  return { q, mode, suffixes: tld ? [tld] : [], minWayback, limit };
}

/** Filters from none to rare, in every order each way. */
function searchQuestions() {
  const all = { mode: 'contains', suffixes: [], minWayback: 0, limit: PAGE + 1 };
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
    { minLength: 30 },
    { minLength: 8, maxLength: 8 },
    { minWayback: 1_000 },
    { minWayback: 1, maxWayback: 9 },
    { q: 'auto', suffixes: ['com.au'], hyphens: 'exclude', minWayback: 10 },
    { q: 'a', hyphens: 'only', numbers: 'only' },
  ];
  return ['wayback', 'first_seen', 'length', 'domain'].flatMap((key) =>
    ['desc', 'asc'].flatMap((direction) =>
      filters.map((filter) => ({
        query: { ...all, ...filter, sort: { key, direction } },
        shown: `${key}_${direction} ${JSON.stringify(filter)}`,
      })),
    ),
  );
}

async function measure(group, questions) {
  const asked = questions.map(({ shown }) => ({ shown, before: [], after: [] }));
  let differing = 0;
  for (let round = 0; round <= rounds; round += 1) {
    for (const side of sides) await side.drawSample();
    const pids = { before: await sides[0].findPid(), after: await sides[1].findPid() };
    for (const [place, { query }] of questions.entries()) {
      const names = {};
      for (const side of (round + place) % 2 === 0 ? sides : sides.toReversed()) {
        const cpu = await cpuMsOfBackend(pids[side.name]);
        const start = performance.now();
        const { domains } = await side[group](query);
        const wall = performance.now() - start;
        // The first round warms up.
        if (round > 0)
          asked[place][side.name].push({ wall, cpu: (await cpuMsOfBackend(pids[side.name])) - cpu });
        names[side.name] = domains.map(({ domain }) => domain).join();
      }
      if (round === 0 && names.before !== names.after) differing += 1;
    }
  }
  const least = (times) => Math.min(...times.map(({ wall }) => wall));
  const median = (times) =>
    times.map(({ cpu }) => cpu).toSorted((one, other) => one - other)[times.length >> 1];
  const of = (name) => ({
    wall: percentiles(asked.map((one) => least(one[name]))),
    cpu: percentiles(asked.map((one) => median(one[name]))),
    cpuMean: asked.reduce((sum, one) => sum + median(one[name]), 0) / asked.length,
  });
  const slower = asked
    .map((one) => ({ shown: one.shown, before: median(one.before), after: median(one.after) }))
    .toSorted((one, other) => other.after - other.before - (one.after - one.before))
    .slice(0, 10);
  return { questions: questions.length, differing, before: of('before'), after: of('after'), slower };
}

function commitOf(root) {
  return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
}

function toTable({ machine, finished, commits, rows, rounds, groups }) {
  const line = (group, name, { before, after }) =>
    ['wall', 'cpu'].map((kind) => {
      const cells = ['p50', 'p95', 'p99', 'max'].map(
        (key) =>
          `${ms(before[kind][key])} → ${ms(after[kind][key])} (${(after[kind][key] / before[kind][key]).toFixed(2)})`,
      );
      return `| ${group}, ${kind === 'wall' ? 'time of an answer' : 'CPU time of PostgreSQL'} | ${cells.join(' | ')} |`;
    });
  const lines = Object.entries(groups).flatMap(([name, group]) =>
    line(`${name}, ${group.questions} questions`, name, group),
  );
  const means = Object.entries(groups).map(
    ([name, { before, after }]) =>
      `${name} ${before.cpuMean.toFixed(3)} → ${after.cpuMean.toFixed(3)} (${(after.cpuMean / before.cpuMean).toFixed(2)})`,
  );
  const wrong = Object.values(groups).reduce((sum, { differing }) => sum + differing, 0);
  return `${machine}; ${finished.slice(0, 10)}. ${rows.toLocaleString('en-AU')} names; ${commits.before} → ${commits.after}, in ms and as a ratio. Asked in turns, ${rounds} rounds: the least time of an answer counts, and the median of the CPU time.

| what | p50 | p95 | p99 | max |
|---|---:|---:|---:|---:|
${lines.join('\n')}

Mean CPU time of PostgreSQL for a question: ${means.join('; ')} ms. ${wrong === 0 ? 'Every answer is the same.' : `${wrong} ANSWERS DIFFER.`}
`;
}
