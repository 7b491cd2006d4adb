/**
 * The service over HTTP beside a bare Nest route that makes one trivial query, on the same database:
 *
 *   node http.mjs [--rows 1000000] [--work FOLDER] [--seconds 10]
 *
 * Requests a second of suggest, of a cached check and of the bare route; and what guard, budget and serialisation add to
 * one request, as the difference to a bare route that asks the repository the same question. The rounds alternate,
 * so that a busy moment meets all routes. Prints a table and writes results/http.{json,md}.
 */
import autocannon from 'autocannon';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { startSandboxRegistry } from '../../dist/src/demo/sandbox-registry.js';
import { describeMachine } from './machine.mjs';
import { makeNames, readLabels } from './names.mjs';
import { makeQueries } from './queries.mjs';
import { startServer } from './server.mjs';
import { startService } from './service.mjs';
import { ms, percentiles } from './tables.mjs';

const CONNECTIONS = 20;
const ROUNDS = 3;
const ALONE_REQUESTS = 3_000;
const NAME = 'sandbox-available.com.au';
const BUDGET = 1_000_000_000;
const START_LIMIT_MS = 60_000;
let callers = 0;
const RESULTS = new URL('results/', import.meta.url);

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    seconds: { type: 'string', default: '10' },
  },
});
const rows = Number(values.rows);
await mkdir(values.work, { recursive: true });
const file = await makeNames(join(values.work, `names-${rows}.csv`), rows);
const queries = makeQueries(await readLabels(file)).filter(({ limit }) => limit === 10);
const searches = queries.map(({ q, mode, tld, minWayback, limit }) =>
  String(new URLSearchParams({ ...(q && { q }), mode, ...(tld && { tld }), min_wayback: minWayback, limit })),
);

const server = await startServer(values.work);
const registry = await startSandboxRegistry({ port: 0 });
const url = server.urlOf(`bowerbird_${rows}`);
const children = [];
let service;
try {
  const bare = await startBare(url);
  service = await startService(environmentOf(url, registry.url));
  const routes = {
    bare: [`${bare.url}/trivial`],
    discover: searches.map((search) => `${bare.url}/discover?${search}`),
    suggest: searches.map((search) => `${service.url}/v1/suggest?${search}`),
    check: [`${service.url}/v1/domains/check?domain=${NAME}`],
  };
  const rounds = { bare: [], discover: [], suggest: [], check: [] };
  // The first round warms up and is not counted.
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [name, urls] of Object.entries(routes)) {
      const measured = await load(urls);
      if (round > 0) rounds[name].push(measured);
    }
  const alone = await timeAlone({
    bare: routes.discover,
    service: routes.suggest,
  });
  const result = { machine: describeMachine(), finished: new Date().toISOString(), rows, rounds, alone };
  await mkdir(RESULTS, { recursive: true });
  await writeFile(new URL('http.json', RESULTS), `${JSON.stringify(result, null, 1)}\n`);
  await writeFile(new URL('http.md', RESULTS), toTable(result));
  process.stdout.write(toTable(result));
} finally {
  await service?.stop();
  for (const child of children) {
    const ended = child.exitCode === null && child.signalCode === null && once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
  await registry.close();
  await server.close();
}

async function load(urls) {
  const [{ origin }] = urls.map((text) => new URL(text));
  const { requests, latency, errors, non2xx } = await autocannon({
    url: origin,
    connections: CONNECTIONS,
    duration: Number(values.seconds),
    requests: urls.map((text) => ({ path: text.slice(origin.length) })),
    // Twenty callers, as each connection has an address of its own.
    setupClient: (client) => client.setHeaders({ 'X-Forwarded-For': `198.18.0.${(callers += 1) % 250}` }),
  });
  if (errors > 0 || non2xx > 0)
    throw new Error(`${origin}: ${errors} errors, ${non2xx} answers that are none`);
  return { perSecond: Math.round(requests.average), p50: latency.p50, p99: latency.p99 };
}

/** One request at a time, of either route in turn; the medians in ms. */
async function timeAlone(routes) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times = { bare: [], service: [] };
  for (let round = 0; round < ALONE_REQUESTS; round += 1)
    for (const [name, urls] of Object.entries(routes)) {
      const start = performance.now();
      await read(agent, urls[round % urls.length]);
      // The first time through is the warm-up.
      if (round >= urls.length) times[name].push(performance.now() - start);
    }
  agent.destroy();
  return { bare: percentiles(times.bare), service: percentiles(times.service) };
}

function read(agent, address) {
  return new Promise((done, fail) =>
    get(address, { agent }, (response) => {
      if (response.statusCode !== 200) fail(new Error(`${address} answered ${response.statusCode}`));
      response.resume().once('end', done).once('error', fail);
    }).once('error', fail),
  );
}

async function startBare(databaseUrl) {
  const child = fork(fileURLToPath(new URL('bare-service.mjs', import.meta.url)), {
    env: { ...process.env, DATABASE_URL: databaseUrl },
  });
  children.push(child);
  const [address] = await once(child, 'message', { signal: AbortSignal.timeout(START_LIMIT_MS) });
  return { url: address };
}

function environmentOf(databaseUrl, registryUrl) {
  const tiers = { demo: { recordsPerMinute: BUDGET, requestsPerMinute: BUDGET } };
  return {
    ...{ DATABASE_URL: databaseUrl, TRUST_PROXY: '1', TIERS: JSON.stringify(tiers) },
    ...{
      REGISTRY_RDAP_URL: registryUrl,
      REGISTRY_SOURCE: 'sandbox',
      REGISTRY_CACHE_AVAILABLE_SECONDS: '3600',
    },
  };
}

function toTable({ machine, finished, rows, rounds, alone }) {
  const best = (name) => rounds[name].toSorted((one, other) => one.perSecond - other.perSecond)[ROUNDS >> 1];
  const line = (what, name) => {
    const { perSecond, p50, p99 } = best(name);
    const share = (perSecond / best('bare').perSecond).toFixed(2);
    return `| ${what} | ${perSecond.toLocaleString('en-AU')} | ${share} | ${p50} | ${p99} |`;
  };
  const added = alone.service.p50 - alone.bare.p50;
  return `${machine}; ${finished.slice(0, 10)}. ${rows.toLocaleString('en-AU')} names, ${CONNECTIONS} connections, ${searches.length} questions in turn; the median of ${ROUNDS} rounds of ${values.seconds} s. Client, service and PostgreSQL share the two cores.

| route | requests a second | of the bare route | p50, ms | p99, ms |
|---|---:|---:|---:|---:|
${line('bare Nest route, `SELECT 1`', 'bare')}
${line('bare Nest route, the questions of suggest', 'discover')}
${line('`/v1/suggest`, limit 10', 'suggest')}
${line('`/v1/domains/check`, cached', 'check')}

One request at a time, p50: suggest ${ms(alone.service.p50)} ms, a bare route that asks the repository the same question ${ms(alone.bare.p50)} ms; so guard, budget, log and serialisation add ${ms(added)} ms.
`;
}
