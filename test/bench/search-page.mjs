/**
 * The search page beside its API call, on the same names and the same questions, one request at a time and in turns:
 *
 *   node search-page.mjs [--rows 1000000] [--work FOLDER] [--questions 60] [--rounds 3] [--beside CHECKOUT]
 *
 * The page asks more than the call does: counts of what the search can be narrowed to, captures by year, the status. It is to
 * take no more than one and a half times as long. CPU time says so on a machine that others use as well; it is taken of the
 * service and of PostgreSQL. Three kinds of questions: by words, by text, and by text that few names have, where the page
 * shows close names too. Prints tables and writes results/search-page.md. Linux only.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
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
/** The page shows others beside fewer names than these. */
const FEW = 5;
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
    `${Number(values.rows).toLocaleString('en-AU')} names, questions by words as in test/words, and patterns of every mode, with suffixes and scores, ${values.rounds} rounds, one request at a time, ms a request. ${describeMachine()}; ${new Date().toISOString().slice(0, 10)}.`,
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

/** By words and by text, spread over all of them, as neighbours are much alike. */
async function chooseQuestions() {
  const lines = (await readFile(new URL('../words/queries.tuning.txt', import.meta.url), 'utf8')).split('\n');
  const typed = lines.flatMap((line) => (line.includes('|') ? [line.split('|')[0].trim()] : []));
  const texts = makeQueries(await readLabels(file)).filter(({ limit }) => limit === 10);
  return {
    words: spread(typed).map((q) => String(new URLSearchParams({ q, match: 'words' }))),
    texts: spread(texts).map(({ q, mode, tld, minWayback }) => {
      const filters = { ...(q && { q }), mode, ...(tld && { tld }), min_wayback: minWayback };
      return String(new URLSearchParams({ ...filters, match: 'text' }));
    }),
  };
}

function spread(all) {
  const step = Math.max(1, all.length / Number(values.questions));
  const count = Math.min(all.length, Number(values.questions));
  return Array.from({ length: count }, (_, place) => all[Math.floor(place * step)]);
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
  try {
    const isFew = [];
    for (const question of questions.texts) {
      const answer = await fetch(`${service.url}/api/v1/search?${question}`);
      isFew.push((await answer.json()).total < FEW);
    }
    const sets = {
      words: questions.words,
      text: questions.texts.filter((_, place) => !isFew[place]),
      'text, few names': questions.texts.filter((_, place) => isFew[place]),
    };
    const tables = [];
    for (const [name, asked] of Object.entries(sets))
      tables.push(await compare(name, asked, name.endsWith('few names'), service));
    return tables.join('\n\n').split('\n');
  } finally {
    await service.stop();
  }
}

/** The call that answers what the page does; where few names match, that is the one with ideas. */
function callOf(isFew) {
  if (!isFew)
    return {
      name: 'API call, 25 rows',
      ask: (url, question) => fetch(`${url}/api/v1/search?${question}&per_page=${ROWS_PER_PAGE}`),
    };
  return {
    name: 'API call with ideas',
    ask: (url, question) => {
      const { q, tld, min_wayback: floor, ...rest } = Object.fromEntries(new URLSearchParams(question));
      const filters = { min_wayback: Number(floor), ...(tld && { tld: [tld] }), ...rest };
      const body = JSON.stringify({ keywords: [q], ...filters, ideas: true, limit: ROWS_PER_PAGE });
      return fetch(`${url}/api/v1/suggest`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      });
    },
  };
}

async function compare(name, asked, isFew, service) {
  const kinds = [
    callOf(isFew),
    {
      name: 'page',
      ask: (url, question) => fetch(`${url}/?${question}`, { headers: { Accept: 'text/html' } }),
    },
  ].map((kind) => ({ ...kind, times: [], node: 0, postgres: 0 }));
  // The first round warms up and is not counted.
  for (let round = 0; round <= Number(values.rounds); round += 1)
    for (const kind of kinds) await oneRound(kind, asked, service, round > 0);
  const [api, page] = kinds.map(({ times, node, postgres }) => ({
    cpu: (node + postgres) / times.length,
    time: mean(times),
  }));
  return [
    `By ${name}: ${asked.length} questions.`,
    '',
    '| | CPU | of it node | of it PostgreSQL | time p50 | p95 | mean |',
    '|---|---|---|---|---|---|---|',
    ...kinds.map(rowOf),
    '',
    `The page takes ${(page.cpu / api.cpu).toFixed(2)} times the CPU time of the call, and ${(page.time / api.time).toFixed(2)} times as long in the mean.`,
  ].join('\n');
}

async function oneRound(kind, asked, { url, pid }, isCounted) {
  const before = [await cpuMsOf(pid), await cpuMsOfServer(postmaster)];
  for (const question of asked) {
    const took = await time(() => kind.ask(url, question));
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

async function time(ask) {
  const began = performance.now();
  const answer = await ask();
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${answer.url}: ${answer.status}`);
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
