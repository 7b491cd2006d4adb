/**
 * The CPU time of a request, of the service's process and of PostgreSQL's, beside bare Nest routes on the same database:
 *
 *   node http.mjs [--rows 1000000] [--work FOLDER] [--requests 5000] [--rounds 5] [--routes suggest,stats] [--beside CHECKOUT]
 *
 * Unlike requests a second, CPU time hardly depends on what else the machine does. The bare routes are the least that a
 * service in the same framework can be: one trivial query, and the repository asked the questions of suggest. With
 * --beside, another checkout (with its node_modules, built) is measured in the same run. All routes of all checkouts take
 * turns, so that a busy moment meets them all. Prints a table and writes results/http.{json,md}. Linux only.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { startSandboxRegistry } from '../../dist/src/demo/sandbox-registry.js';
import { cpuMsOf, cpuMsOfServer, findPostmaster } from './cpu-time.mjs';
import { CONNECTIONS, load, Side } from './http-side.mjs';
import { describeMachine } from './machine.mjs';
import { makeNames, readLabels } from './names.mjs';
import { makeQueries } from './queries.mjs';
import { startServer } from './server.mjs';

const HERE = fileURLToPath(new URL('../..', import.meta.url));
const RESULTS = new URL('results/', import.meta.url);
const ROUTES = {
  bare: 'bare Nest route, `SELECT 1`',
  discover: 'bare Nest route, the questions of suggest',
  livez: '`/livez`',
  stats: '`/v1/stats`',
  check: '`/v1/domains/check`, cached',
  suggest: '`/v1/suggest`',
  search: '`/api/v1/search`, the same questions',
  page: 'search page, the same questions',
  feed: '`/api/v1/dropped`, 10 events',
};

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    requests: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '5' },
    routes: { type: 'string', default: Object.keys(ROUTES).join(',') },
    beside: { type: 'string' },
  },
});
const rows = Number(values.rows);
const routes = values.routes.split(',');
const checkouts = [HERE, ...(values.beside ? [resolve(values.beside)] : [])].map((folder) => {
  const commit = commitOf(folder);
  // A change is migrated to and needs no import of its own; what it is compared with stays as it is.
  return { folder, commit, database: `http_${values.rows}${folder === HERE ? '' : `_${commit}`}` };
});

await mkdir(values.work, { recursive: true });
const file = await makeNames(join(values.work, `names-${rows}.csv`), rows);
const questions = makeQueries(await readLabels(file))
  .filter(({ limit }) => limit === 10)
  .map(({ q, mode, tld, minWayback, limit }) =>
    String(
      new URLSearchParams({ ...(q && { q }), mode, ...(tld && { tld }), min_wayback: minWayback, limit }),
    ),
  );

const server = await startServer(values.work);
const registry = await startSandboxRegistry({ port: 0 });
const sides = [];
try {
  for (const checkout of checkouts)
    sides.push(await Side.start({ ...checkout, server, file, registryUrl: registry.url, questions }));
  const postmaster = await findPostmaster(server.url);
  const measured = sides.map(() => Object.fromEntries(routes.map((route) => [route, []])));
  // The first round warms up and is not counted.
  for (let round = 0; round <= Number(values.rounds); round += 1)
    for (const route of routes)
      for (const [place, side] of sides.entries()) {
        const cost = await measure(side.routes[route], postmaster);
        if (round > 0) measured[place][route].push(cost);
      }
  const result = {
    ...{ machine: describeMachine(), finished: new Date().toISOString(), rows },
    checkouts: checkouts.map(({ commit }, place) => ({ commit, routes: measured[place] })),
  };
  process.stdout.write(toTable(result));
  if (routes.length === Object.keys(ROUTES).length) {
    await mkdir(RESULTS, { recursive: true });
    await writeFile(new URL('http.json', RESULTS), `${JSON.stringify(result, null, 1)}\n`);
    await writeFile(new URL('http.md', RESULTS), toTable(result));
  }
} finally {
  for (const side of sides) await side.stop();
  await registry.close();
  await server.close();
}

function commitOf(folder) {
  return execFileSync('git', ['-C', folder, 'rev-parse', '--short=7', 'HEAD'], { encoding: 'utf8' }).trim();
}

/** So many requests, and what each of them cost. */
async function measure(route, postmaster) {
  const before = [await cpuMsOf(route.pid), await cpuMsOfServer(postmaster)];
  const { total, average } = await load(route, Number(values.requests));
  const [nodeMs, postgresMs] = [
    (await cpuMsOf(route.pid)) - before[0],
    (await cpuMsOfServer(postmaster)) - before[1],
  ].map((ms) => ms / total);
  return { nodeMs, postgresMs, perSecond: average };
}

function toTable({ machine, finished, rows, checkouts }) {
  const lines = [
    `${machine}; ${finished.slice(0, 10)}. ${rows.toLocaleString('en-AU')} names, ${CONNECTIONS} connections, ${questions.length} questions in turn; the median of ${values.rounds} rounds of ${values.requests} requests. CPU time in ms a request; client, service and PostgreSQL share the machine.`,
    '',
    `| route |${checkouts.map(({ commit }) => ` ${commit}: node | PostgreSQL | both | requests a second |`).join('')}${checkouts.length > 1 ? ' of the other |' : ''}`,
    `|---|${'---:|'.repeat(4 * checkouts.length + (checkouts.length > 1 ? 1 : 0))}`,
  ];
  for (const route of routes) {
    const costs = checkouts.map((checkout) => ({
      node: median(checkout.routes[route].map(({ nodeMs }) => nodeMs)),
      postgres: median(checkout.routes[route].map(({ postgresMs }) => postgresMs)),
      both: median(checkout.routes[route].map(({ nodeMs, postgresMs }) => nodeMs + postgresMs)),
      perSecond: median(checkout.routes[route].map(({ perSecond }) => perSecond)),
    }));
    const cells = costs.flatMap(({ node, postgres, both, perSecond }) => [
      ...[node, postgres, both].map((ms) => ms.toFixed(3)),
      Math.round(perSecond).toLocaleString('en-AU'),
    ]);
    const [here, beside] = costs;
    if (beside) cells.push((here.both / beside.both).toFixed(2));
    lines.push(`| ${ROUTES[route]} | ${cells.join(' | ')} |`);
  }
  return `${lines.join('\n')}\n`;
}

function median(numbers) {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1];
}
