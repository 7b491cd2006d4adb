/**
 * Half an hour of mixed load on the compiled service with its jobs at work, and what it does to memory and to the event loop:
 *
 *   node soak.mjs [--minutes 30] [--rate 100] [--rows 200000] [--work FOLDER]
 *
 * Requests of all kinds at a steady rate from 250 addresses through 20 connections. After a sixth of the time, which warms up, memory is
 * to stay within 5 % and the event loop's delay below 20 ms in 99 of 100 looks. Ends with 1 where one of them is missed or a request
 * fails. Prints a table; half an hour or more writes it to results/soak.md. The server is this machine's, and so are the clients.
 */
import autocannon from 'autocannon';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startSandboxRegistry } from '../../dist/src/demo/sandbox-registry.js';
import { runImport, VOUCHED } from './import-command.mjs';
import { describeMachine } from './machine.mjs';
import { makeNames, readNames } from './names.mjs';
import { makeQueries } from './queries.mjs';
import { startServer } from './server.mjs';
import { startService } from './service.mjs';
import { percentiles } from './tables.mjs';

const CONNECTIONS = 20;
const ADDRESSES = 250;
const MANY = 1_000_000_000;
const MAX_GROWTH = 0.05;
const MAX_DELAY_MS = 20;
const SHOWN_FROM_MINUTES = 30;
const PROBE = new URL('event-loop-probe.mjs', import.meta.url).href;
const MCP = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    rate: { type: 'string', default: '100' },
    rows: { type: 'string', default: '200000' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
  },
});
const minutes = Number(values.minutes);
await mkdir(values.work, { recursive: true });
const file = await makeNames(join(values.work, `names-${values.rows}.csv`), Number(values.rows));
const names = await readNames(file);
const looks = join(values.work, 'event-loop.jsonl');
await rm(looks, { force: true });

const server = await startServer(values.work);
const registry = await startSandboxRegistry({ port: 0 });
let service;
try {
  const url = await server.createDatabase('soak');
  await runImport(url, [file, ...VOUCHED]);
  service = await startService(environmentOf(url));
  const load = await autocannon({
    url: service.url,
    connections: CONNECTIONS,
    duration: minutes * 60,
    overallRate: Number(values.rate),
    requests: mixOf(names),
    timeout: 30,
    // The wait for one's turn at a steady rate is the client's, not the answer's.
    ignoreCoordinatedOmission: true,
  });
  const result = await summarise(load);
  process.stdout.write(result.table);
  if (minutes >= SHOWN_FROM_MINUTES)
    await writeFile(new URL('results/soak.md', import.meta.url), result.table);
  process.exitCode = result.isGood ? 0 : 1;
} finally {
  await service?.stop();
  await registry.close();
  await server.close();
}

// No budget is met, so that the work is done; jobs re-check names at the sandbox registry meanwhile.
function environmentOf(databaseUrl) {
  const demo = { recordsPerMinute: MANY, requestsPerMinute: MANY, pageSize: 100, paging: true, feed: true };
  return {
    ...{ DATABASE_URL: databaseUrl, TRUST_PROXY: '1', TIERS: JSON.stringify({ demo }) },
    ...{ REGISTRY_RDAP_URL: registry.url, REGISTRY_SOURCE: 'sandbox', ARCHIVE_CDX_URL: 'off' },
    ...{ NODE_OPTIONS: `--import ${PROBE}`, EVENT_LOOP_FILE: looks },
  };
}

/** The requests that take turns. Of a hundred: 35 suggest, 20 search, 15 checks, 10 reports, 8 feed, 7 stats and status, 5 MCP. */
function mixOf(names) {
  const questions = makeQueries(names.map((name) => name.split('.')[0])).filter(({ limit }) => limit === 10);
  const question = (at) => {
    const { q, mode, tld, minWayback } = questions[(at * 37) % questions.length];
    return new URLSearchParams({ ...(q && { q }), mode, ...(tld && { tld }), min_wayback: minWayback });
  };
  const get = (path) => ({ method: 'GET', path });
  const kinds = [
    [35, (at) => get(`/v1/suggest?${question(at)}&limit=10`)],
    [20, (at) => get(`/api/v1/search?${question(at)}&per_page=25`)],
    // Few names: answers of the registry are kept, and the sandbox has a pace like any registry.
    [15, (at) => get(`/v1/domains/check?domain=sandbox-${at % 2 ? 'available' : 'registered'}.com.au`)],
    [10, (at) => get(`/api/v1/domains/${names[(at * 13) % names.length]}`)],
    [8, () => get('/api/v1/dropped?since=2020-01-01T00:00:00Z&limit=10')],
    [7, (at) => get(at % 2 ? '/v1/stats' : '/api/v1/status')],
    [5, (at) => ({ method: 'POST', path: '/mcp', headers: MCP, body: callOf(question(at)) })],
  ];
  const wheel = kinds.flatMap(([share, make]) => Array(share).fill(make));
  return Array.from({ length: 2_000 }, (_, at) => {
    const request = wheel[(at * 61) % wheel.length](at);
    const address = `198.18.${at % 2}.${at % (ADDRESSES / 2)}`;
    return { ...request, headers: { ...request.headers, 'X-Forwarded-For': address } };
  });
}

function callOf(question) {
  const params = { name: 'suggest_domains', arguments: { keyword: question.get('q') ?? 'shop', limit: 5 } };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
}

async function summarise({ requests, latency, errors, timeouts, non2xx, statusCodeStats }) {
  const lines = (await readFile(looks, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const warm = lines.slice(Math.ceil(lines.length / 6));
  const parts = partsOf(warm, 5);
  const [first, last] = [parts[0], parts.at(-1)].map((part) => median(part.map(({ rss }) => rss)));
  const growth = last / first - 1;
  const worst = percentiles(warm.map(({ p99 }) => p99));
  const failed = errors + timeouts + non2xx;
  const table = [
    `${describeMachine()}; ${new Date().toISOString().slice(0, 10)}. ${minutes} minutes, ${values.rate} requests a second of all kinds, ${Number(values.rows).toLocaleString('en-AU')} names, jobs at work; the first sixth warms up. Clients, service and PostgreSQL share the machine.`,
    '',
    `${requests.total.toLocaleString('en-AU')} requests, ${failed} failed (${JSON.stringify(statusCodeStats)}); an answer took ${latency.p50} ms at p50, ${latency.p99} at p99.`,
    '',
    '| part of the time | resident, MB | heap in use, MB | event loop late, p50 ms | p99 ms (median of looks) | p99 ms (worst look) |',
    '|---|---:|---:|---:|---:|---:|',
    ...parts.map((part, at) => rowOf(`${at + 1} of ${parts.length}`, part)),
    '',
    `Resident memory, last part over first: ${(100 * growth).toFixed(1)} % (at most ${100 * MAX_GROWTH}). Event loop late at p99, of ten seconds each: median ${worst.p50}, p95 ${worst.p95}, worst ${worst.max} ms (p95 at most ${MAX_DELAY_MS}).`,
  ];
  return {
    table: `${table.join('\n')}\n`,
    isGood: failed === 0 && growth <= MAX_GROWTH && worst.p95 < MAX_DELAY_MS,
  };
}

function partsOf(looks, count) {
  const length = Math.ceil(looks.length / count);
  return Array.from({ length: count }, (_, at) => looks.slice(at * length, (at + 1) * length)).filter(
    ({ length }) => length > 0,
  );
}

function rowOf(name, part) {
  const mb = (field) => Math.round(median(part.map((look) => look[field])) / 2 ** 20);
  const late = (field) => median(part.map((look) => look[field])).toFixed(1);
  const worst = Math.max(...part.map(({ p99 }) => p99)).toFixed(1);
  return `| ${name} | ${mb('rss')} | ${mb('heapUsed')} | ${late('p50')} | ${late('p99')} | ${worst} |`;
}

function median(numbers) {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1];
}
