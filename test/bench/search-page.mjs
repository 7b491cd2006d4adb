/**
 * The search page beside its API call, on the same names and the same questions, one request at a time and in turns:
 *
 *   node search-page.mjs [--rows 1000000] [--work FOLDER] [--questions 60] [--rounds 3] [--beside CHECKOUT]
 *
 * The page asks more than the call does: counts of what the search can be narrowed to, captures by year, the status. It is to
 * take no more than one and a half times as long. CPU time says so on a machine that others use as well; it is taken of the
 * service and of PostgreSQL. Prints a table and writes results/search-page.md. Linux only.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startSandboxRegistry } from '../../dist/src/demo/sandbox-registry.js';
import { cpuMsOf, cpuMsOfServer, findPostmaster } from './cpu-time.mjs';
import { runImport, VOUCHED } from './import-command.mjs';
import { describeMachine } from './machine.mjs';
import { makeNames, readLabels } from './names.mjs';
import { makeQueries } from './queries.mjs';
import { startServer } from './server.mjs';
import { mainOf, startService } from './service.mjs';

const MANY = 1_000_000_000;
const ROWS_PER_PAGE = 25;
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    questions: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '3' },
    beside: { type: 'string' },
  },
});

await mkdir(values.work, { recursive: true });
const file = await makeNames(join(values.work, `names-${values.rows}.csv`), Number(values.rows));
const questions = await chooseQuestions();
const server = await startServer(values.work);
const registry = await startSandboxRegistry({ port: 0 });
const database = `page_${values.rows}`;
if (!(await server.hasDatabase(database)))
  await runImport(await server.createDatabase(database), [file, ...VOUCHED]);
const postmaster = await findPostmaster(server.urlOf(database));
try {
  const text = [
    `# The search page beside its API call`,
    '',
    `${Number(values.rows).toLocaleString('en-AU')} names, ${questions.length} questions (patterns that many names have, few or none, of every mode, with suffixes and scores), ${values.rounds} rounds, one request at a time, ms a request. ${describeMachine()}; ${new Date().toISOString().slice(0, 10)}.`,
    ...(values.beside ? ['', '## Before', '', ...(await measure(mainOf(resolve(values.beside))))] : []),
    ...(values.beside ? ['', '## Now'] : []),
    '',
    ...(await measure()),
    '',
  ].join('\n');
  console.log(text);
  await writeFile(new URL('results/search-page.md', import.meta.url), text);
} finally {
  await registry.close();
  await server.close();
}

/** Spread over all of them, as neighbours are much alike. */
async function chooseQuestions() {
  const all = makeQueries(await readLabels(file)).filter(({ limit }) => limit === 10);
  const step = all.length / Number(values.questions);
  return Array.from({ length: Number(values.questions) }, (_, place) => all[Math.floor(place * step)]).map(
    ({ q, mode, tld, minWayback }) =>
      String(new URLSearchParams({ ...(q && { q }), mode, ...(tld && { tld }), min_wayback: minWayback })),
  );
}

async function measure(main) {
  const demo = {
    recordsPerMinute: MANY,
    requestsPerMinute: MANY,
    listPages: MANY,
    pageSize: 100,
    paging: true,
  };
  const service = await startService(
    {
      DATABASE_URL: server.urlOf(database),
      TIERS: JSON.stringify({ demo }),
      REGISTRY_RDAP_URL: registry.url,
      REGISTRY_SOURCE: 'sandbox',
      DATASET_JOBS: 'off',
      ARCHIVE_CDX_URL: 'off',
    },
    main,
  );
  const kinds = [
    {
      name: 'API call, 25 rows',
      path: (question) => `/api/v1/search?${question}&per_page=${ROWS_PER_PAGE}`,
      accept: 'application/json',
    },
    { name: 'page', path: (question) => `/?${question}`, accept: 'text/html' },
  ].map((kind) => ({ ...kind, times: [], node: 0, postgres: 0 }));
  try {
    // The first round warms up and is not counted.
    for (let round = 0; round <= Number(values.rounds); round += 1)
      for (const kind of kinds) await oneRound(kind, service, round > 0);
  } finally {
    await service.stop();
  }
  const [api, page] = kinds.map(({ times, node, postgres }) => ({
    cpu: (node + postgres) / times.length,
    time: mean(times),
  }));
  return [
    '| | CPU | of it node | of it PostgreSQL | time p50 | p95 | mean |',
    '|---|---|---|---|---|---|---|',
    ...kinds.map(rowOf),
    '',
    `The page takes ${(page.cpu / api.cpu).toFixed(2)} times the CPU time of the call, and ${(page.time / api.time).toFixed(2)} times as long in the mean.`,
  ];
}

async function oneRound(kind, { url, pid }, isCounted) {
  const before = [await cpuMsOf(pid), await cpuMsOfServer(postmaster)];
  for (const question of questions) {
    const took = await time(url + kind.path(question), kind.accept);
    if (isCounted) kind.times.push(took);
  }
  if (!isCounted) return;
  kind.node += (await cpuMsOf(pid)) - before[0];
  kind.postgres += (await cpuMsOfServer(postmaster)) - before[1];
}

function rowOf({ name, times, node, postgres }) {
  const each = (sum) => (sum / times.length).toFixed(1);
  return `| ${name} | ${each(node + postgres)} | ${each(node)} | ${each(postgres)} | ${at(times, 0.5)} | ${at(times, 0.95)} | ${mean(times).toFixed(1)} |`;
}

async function time(url, accept) {
  const began = performance.now();
  const answer = await fetch(url, { headers: { Accept: accept } });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`);
  return performance.now() - began;
}

function quantile(list, share) {
  return list.toSorted((one, other) => one - other)[Math.floor(share * (list.length - 1))];
}

function at(list, share) {
  return quantile(list, share).toFixed(1);
}

function mean(list) {
  return list.reduce((sum, one) => sum + one, 0) / list.length;
}
