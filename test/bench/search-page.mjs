/**
 * The search page beside its API call, on the same names and the same questions, one request at a time and in turns:
 *
 *   node search-page.mjs [--rows 1000000] [--work FOLDER] [--questions 40] [--rounds 3]
 *
 * The page asks more than the call does: counts of what the search can be narrowed to, captures by year, the status. It is to
 * take no more than one and a half times as long. Prints a table and writes results/search-page.md.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startSandboxRegistry } from '../../dist/src/demo/sandbox-registry.js';
import { runImport, VOUCHED } from './import-command.mjs';
import { describeMachine } from './machine.mjs';
import { makeNames, readLabels } from './names.mjs';
import { makeQueries } from './queries.mjs';
import { startServer } from './server.mjs';
import { startService } from './service.mjs';

const MANY = 1_000_000_000;
const ROWS_PER_PAGE = 25;
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    questions: { type: 'string', default: '40' },
    rounds: { type: 'string', default: '3' },
  },
});

await mkdir(values.work, { recursive: true });
const file = await makeNames(join(values.work, `names-${values.rows}.csv`), Number(values.rows));
const questions = makeQueries(await readLabels(file))
  .filter(({ limit }) => limit === 10)
  .slice(0, Number(values.questions))
  .map(({ q, mode, tld, minWayback }) =>
    String(new URLSearchParams({ ...(q && { q }), mode, ...(tld && { tld }), min_wayback: minWayback })),
  );
const server = await startServer(values.work);
const registry = await startSandboxRegistry({ port: 0 });
const database = `page_${values.rows}`;
if (!(await server.hasDatabase(database)))
  await runImport(await server.createDatabase(database), [file, ...VOUCHED]);
const demo = {
  recordsPerMinute: MANY,
  requestsPerMinute: MANY,
  listPages: MANY,
  pageSize: 100,
  paging: true,
};
const service = await startService({
  DATABASE_URL: server.urlOf(database),
  TIERS: JSON.stringify({ demo }),
  REGISTRY_RDAP_URL: registry.url,
  REGISTRY_SOURCE: 'sandbox',
  DATASET_JOBS: 'off',
  ARCHIVE_CDX_URL: 'off',
});
try {
  const times = { api: [], page: [] };
  // The first round warms up and is not counted.
  for (let round = 0; round <= Number(values.rounds); round += 1)
    for (const question of questions) {
      const api = await time(`/api/v1/search?${question}&per_page=${ROWS_PER_PAGE}`, 'application/json');
      const page = await time(`/?${question}`, 'text/html');
      if (round === 0) continue;
      times.api.push(api);
      times.page.push(page);
    }
  const row = (name, list) => `| ${name} | ${at(list, 0.5)} | ${at(list, 0.95)} | ${mean(list).toFixed(1)} |`;
  const text = [
    `# The search page beside its API call`,
    '',
    `${Number(values.rows).toLocaleString('en-AU')} names, ${questions.length} questions, ${values.rounds} rounds, one request at a time, ms. ${describeMachine()}`,
    '',
    '| | p50 | p95 | mean |',
    '|---|---|---|---|',
    row('API call, 25 rows', times.api),
    row('page', times.page),
    '',
    `The page takes ${(mean(times.page) / mean(times.api)).toFixed(2)} times as long in the mean, ${(quantile(times.page, 0.5) / quantile(times.api, 0.5)).toFixed(2)} times at the median.`,
    '',
  ].join('\n');
  console.log(text);
  await writeFile(new URL('results/search-page.md', import.meta.url), text);
} finally {
  await service.stop();
  await registry.close();
  await server.close();
}

async function time(path, accept) {
  const began = performance.now();
  const answer = await fetch(service.url + path, { headers: { Accept: accept } });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
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
