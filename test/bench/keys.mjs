/**
 * What a key adds to a request, beside the demo tier on the same service and database:
 *
 *   node keys.mjs [--work FOLDER] [--seconds 5]
 *
 * Counters (/v1/stats) cost nothing, so that there the key itself is measured; suggest spends a record of a budget each
 * time. The rounds of the two alternate, so that a busy moment meets both. Prints a table and writes it to results/keys.md.
 */
import autocannon from 'autocannon';
import { mkdir, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { parseArgs } from 'node:util';
import { addKey } from './add-key.mjs';
import { describeMachine } from './machine.mjs';
import { startServer } from './server.mjs';
import { startService } from './service.mjs';
import { ms, percentiles } from './tables.mjs';

const CONNECTIONS = 20;
const ROUNDS = 3;
const ALONE_REQUESTS = 2_000;
const WARM_UP_REQUESTS = 300;
const BUDGET = 1_000_000_000;
const PATHS = ['/v1/stats', '/v1/suggest?limit=1'];

const { values } = parseArgs({
  options: {
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    seconds: { type: 'string', default: '5' },
  },
});
await mkdir(values.work, { recursive: true });
const server = await startServer(values.work);
let service;
try {
  const databaseUrl = await server.createDatabase('bowerbird_keys');
  service = await startService(environmentOf(databaseUrl));
  const { url } = service;
  const callers = { demo: {}, key: { Authorization: `Bearer ${await addKey(databaseUrl, 'firehose')}` } };
  const lines = [
    `${describeMachine()}; ${new Date().toISOString().slice(0, 10)}. ${CONNECTIONS} connections, the median of ${ROUNDS} rounds of ${values.seconds} s.
Client, service and PostgreSQL share the machine. One request at a time: ${ALONE_REQUESTS} of each caller, in turn.

| path | caller | requests a second | p50, ms | p99, ms | one at a time, p50, ms |
|---|---|---:|---:|---:|---:|`,
  ];
  for (const path of PATHS) {
    const rounds = { demo: [], key: [] };
    // The first round warms up and is not counted.
    for (let round = 0; round <= ROUNDS; round += 1)
      for (const [name, headers] of Object.entries(callers)) {
        const measured = await load(url + path, headers);
        if (round > 0) rounds[name].push(measured);
      }
    const alone = await timeAlone(url + path, callers);
    for (const name of Object.keys(callers)) {
      const [, median] = rounds[name].toSorted((one, other) => one.perSecond - other.perSecond);
      lines.push(
        `| \`${path}\` | ${name} | ${median.perSecond} | ${median.p50} | ${median.p99} | ${ms(alone[name].p50)} |`,
      );
    }
  }
  const text = `${lines.join('\n')}\n`;
  process.stdout.write(text);
  await writeFile(new URL('results/keys.md', import.meta.url), text);
} finally {
  await service?.stop();
  await server.dropDatabase('bowerbird_keys');
  await server.close();
}

async function load(url, headers) {
  const { requests, latency, errors, non2xx } = await autocannon({
    ...{ url, headers, connections: CONNECTIONS, duration: Number(values.seconds) },
  });
  if (errors > 0 || non2xx > 0) throw new Error(`${url}: ${errors} errors, ${non2xx} refusals`);
  return { perSecond: Math.round(requests.average), p50: latency.p50, p99: latency.p99 };
}

async function timeAlone(url, callers) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times = { demo: [], key: [] };
  for (let round = 0; round < WARM_UP_REQUESTS + ALONE_REQUESTS; round += 1)
    for (const [name, headers] of Object.entries(callers)) {
      const start = performance.now();
      await read(agent, url, headers);
      if (round >= WARM_UP_REQUESTS) times[name].push(performance.now() - start);
    }
  agent.destroy();
  return { demo: percentiles(times.demo), key: percentiles(times.key) };
}

function read(agent, url, headers) {
  return new Promise((done, fail) =>
    get(url, { agent, headers }, (response) => {
      if (response.statusCode !== 200) fail(new Error(`${url} answered ${response.statusCode}`));
      response.resume().once('end', done).once('error', fail);
    }).once('error', fail),
  );
}

function environmentOf(databaseUrl) {
  const free = { recordsPerMinute: BUDGET, requestsPerMinute: BUDGET };
  return {
    DATABASE_URL: databaseUrl,
    ...{ AUTH: 'on', AUTH_SECRET: 'a-secret-of-the-benchmark-0123456789' },
    TIERS: JSON.stringify({ demo: free, firehose: free }),
  };
}
