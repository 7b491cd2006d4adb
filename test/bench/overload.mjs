/**
 * What a busy service does, under an open loop: requests come at their times, whatever the answers do.
 *
 *   node overload.mjs [--work FOLDER] [--seconds 6] [--factors 0.5,1,2,4,8] [--modes on,off] [--gone 2000]
 *                    [--haproxy deploy/haproxy.cfg,…]
 *
 * 1. Suggests at multiples of what the service answers in a closed loop; a fifth of them with a paid key, but never more
 *    than two fifths of what can be answered. A caller waits for 5 s at most; an answer counts as good within 1 s. With
 *    --haproxy through HAProxy with each of these configurations as well.
 * 2. The same with bodies, slow bodies, checks of lists whose answers are known, and CSV.
 * 3. What a refusal costs the service in CPU time, with its one place taken by a request that waits for a lock and its line
 *    full, and what the same answer costs a bare Node, in turns.
 * 4. Callers who hang up at random moments, on two instances: what they are charged, and what the kernel took.
 *
 * On loopback only. Client and HAProxy have the machine's last processor, service and PostgreSQL the others. Prints the
 * tables and writes results/overload.md. Linux only.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { addKey } from './add-key.mjs';
import { startBalancer } from './balancer.mjs';
import { cpuMsOf, cpuMsOfServer, findPostmaster } from './cpu-time.mjs';
import { runImport, VOUCHED } from './import-command.mjs';
import { describeMachine } from './machine.mjs';
import { makeNames } from './names.mjs';
import { OpenLoop } from './open-loop.mjs';
import { startSandboxRegistry } from '../../dist/src/demo/sandbox-registry.js';
import { startServer } from './server.mjs';
import { startService } from './service.mjs';

const ROWS = 20_000;
const MANY = 1_000_000_000;
const PAID_SHARE = 0.2;
/** Of what can be answered. */
const MOST_PAID = 0.4;
const GOOD_MS = 1_000;
const GIVE_UP_MS = 5_000;
const CLOSED_LOOP_CONNECTIONS = 32;
const REFUSALS = 20_000;
/** Some 250 fit into the line, where they are refused late and come again; the others are refused at the door. */
const REFUSED_CALLERS = 300;
const LATE_MS = 600;
const REFUSAL_ROUNDS = 4;
/** Names of a check. */
const CHECKED = 10;
const DATABASE = 'bowerbird_overload';
/** A program that answers each request as one that is refused is, and prints its port. */
const BARE = `
  const error = { code: 'overloaded', message: 'm'.repeat(90), request_id: 'i'.repeat(36) };
  const text = JSON.stringify({ error });
  const head = ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(text.length)];
  head.push('Retry-After', '1', 'Cache-Control', 'no-store', 'X-Request-Id', 'i'.repeat(36), 'API-Version', '1');
  require('http')
    .createServer((_, response) => response.writeHead(503, head).end(text))
    .listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;

const { values } = parseArgs({
  options: {
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    seconds: { type: 'string', default: '6' },
    factors: { type: 'string', default: '0.5,1,2,4,8' },
    modes: { type: 'string', default: 'on,off' },
    gone: { type: 'string', default: '2000' },
    haproxy: { type: 'string', default: '' },
  },
});
const seconds = Number(values.seconds);
let callers = 0;

await mkdir(values.work, { recursive: true });
const processors = availableParallelism();
pin(process.pid, processors - 1);
const server = await startServer(values.work);
const postmaster = await findPostmaster(server.url);
pin(postmaster, `0-${Math.max(0, processors - 2)}`);
const lines = [`${describeMachine()}; ${new Date().toISOString().slice(0, 10)}; ${ROWS} names.`];
try {
  const databaseUrl = await server.createDatabase(DATABASE);
  const file = await makeNames(join(values.work, `names-${ROWS}.csv`), ROWS);
  await runImport(databaseUrl, [file, ...VOUCHED]);
  await measureLoads(databaseUrl);
  await measureKinds(databaseUrl);
  await measureRefusals(databaseUrl);
  await measureHangUps(databaseUrl);
} finally {
  await server.close();
}
const text = `${lines.join('\n')}\n`;
console.log(text);
await writeFile(new URL('results/overload.md', import.meta.url), text);

/** With the switches of `--modes`, and behind the balancers. */
async function startAll(databaseUrl, environment) {
  const services = [];
  for (const mode of values.modes.split(','))
    services.push([mode, await start(databaseUrl, { ADMISSION: mode, ...environment })]);
  for (const config of values.haproxy.split(',').filter(Boolean))
    services.push([
      `on, behind ${basename(config)}`,
      { ...services[0][1], ...(await startBalancer(services[0][1], config)), manySources: true },
    ]);
  return services;
}

async function measureLoads(databaseUrl) {
  const key = await addKey(databaseUrl, 'pro');
  const services = await startAll(databaseUrl);
  try {
    const capacity = await capacityOf(services, () => requestOf(null));
    lines.push(
      `\nClosed loop with ${CLOSED_LOOP_CONNECTIONS} connections: ${capacity} suggests a second. ${seconds} s a load.\n`,
      '| load | ADMISSION | offered/s | good/s | p50, ms | p99, ms | refused | p99 of refusals, ms | no answer in 5 s | paid answered | CPU: service, PostgreSQL; client, HAProxy |',
      '|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---|',
    );
    for (const factor of values.factors.split(',').map(Number))
      for (const [mode, service] of services) {
        const loop = new OpenLoop(service.url, GIVE_UP_MS, service.manySources);
        const cpu = await watchCpu(service);
        const done = await loop.run(capacity * factor, seconds, () =>
          requestOf(Math.random() < Math.min(PAID_SHARE, MOST_PAID / factor) ? key : null),
        );
        lines.push(`${rowOf(factor, mode, done)} ${await cpu()} |`);
        console.error(lines.at(-1));
        await closedLoop(service, 1);
      }
  } finally {
    for (const [, service] of services) await service.stop();
  }
}

/** Requests with bodies, slow ones among them, and other forms of answers; half of all are suggests as above. */
async function measureKinds(databaseUrl) {
  const registry = await startSandboxRegistry({ port: 0 });
  const domains = Array.from({ length: CHECKED }, (_, place) => `sandbox-checked-${place}.com.au`);
  const keywords = { keywords: ['a'], limit: 3 };
  const check = '/api/v1/domains/check';
  const kinds = {
    'GET suggest': () => requestOf(null),
    'POST suggest': () => postOf('/api/v1/suggest', keywords),
    'slow POST': () => inParts(postOf('/api/v1/suggest', keywords)),
    [`check of ${CHECKED}`]: () => postOf(check, { domains, wait: 0 }),
    'the same as CSV': () => postOf(check, { domains, wait: 0 }, 'Accept: text/csv'),
  };
  const names = Object.keys(kinds);
  const next = () => {
    const kind = names[Math.max(0, Math.floor(Math.random() * 2 * names.length) - names.length)];
    return { ...kinds[kind](), kind };
  };
  const services = await startAll(databaseUrl, {
    ...{ REGISTRY_RDAP_URL: registry.url, REGISTRY_SOURCE: 'sandbox' },
    ...{ REGISTRY_RATE_PER_SECOND: '1000', REGISTRY_BURST: '1000' },
  });
  try {
    // From now on the answers are known.
    const loop = new OpenLoop(services[0][1].url, 60_000);
    await loop.send(postOf(check, { domains, wait: 30 }));
    loop.close();
    const capacity = await capacityOf(services, () => {
      const { text, rest = '' } = next();
      return { text: text + rest };
    });
    lines.push(
      `\nWith other requests, half of all in equal parts: ${capacity} a second. Answered well, and p99 in ms, by kind:\n`,
      `| load | ADMISSION | offered/s | good/s | ${names.join(' | ')} |`,
      `|---:|---|---:|---:|${'---:|'.repeat(names.length)}`,
    );
    for (const factor of values.factors.split(',').map(Number))
      for (const [mode, service] of services) {
        const all = new OpenLoop(service.url, GIVE_UP_MS, service.manySources);
        const done = await all.run(capacity * factor, seconds, next);
        const wrong = done.find(({ status }) => status !== 200 && status !== 503 && status !== null);
        if (wrong) throw new Error(`${wrong.kind} was answered ${wrong.status}`);
        const perSecond = (list) => Math.round(list.length / seconds);
        const cells = names.map((name) => {
          const own = done.filter(({ kind }) => kind === name);
          return `${share(goodOf(own), own)}, ${quantile(own.filter(isAnswered), 0.99)}`;
        });
        lines.push(
          `| ${factor} | ${mode} | ${perSecond(done)} | ${perSecond(goodOf(done))} | ${cells.join(' | ')} |`,
        );
        console.error(lines.at(-1));
        await closedLoop(service, 1);
      }
  } finally {
    for (const [, service] of services) await service.stop();
    await registry.close();
  }
}

async function capacityOf(services, next) {
  const rates = [];
  for (const [, service] of services) rates.push(await closedLoop(service, 4, next));
  return Math.round(Math.max(...rates));
}

/** @returns what each has taken of a processor since, in percent */
async function watchCpu({ pid, balancer }) {
  const readAll = () =>
    Promise.all([
      ...[cpuMsOf(pid), cpuMsOfServer(postmaster), cpuMsOf(process.pid)],
      balancer ? cpuMsOf(balancer) : NaN,
    ]);
  const [before, start] = [await readAll(), performance.now()];
  return async () => {
    const ms = performance.now() - start;
    const [service, database, client, proxy] = (await readAll()).map((cpu, place) =>
      Math.round((100 * (cpu - before[place])) / ms),
    );
    return `${service}, ${database}; ${client}${balancer ? `, ${proxy}` : ''}`;
  };
}

function rowOf(factor, mode, done) {
  const answered = done.filter(isAnswered);
  const refused = done.filter(({ status }) => status === 503);
  const paid = done.filter(({ isPaid }) => isPaid);
  return `| ${factor} | ${mode} | ${Math.round(done.length / seconds)} | ${Math.round(goodOf(done).length / seconds)} | ${[
    quantile(answered, 0.5),
    quantile(answered, 0.99),
    share(refused, done),
    quantile(refused, 0.99),
    share(
      done.filter(({ status }) => status === null),
      done,
    ),
    share(paid.filter(isAnswered), paid),
  ].join(' | ')} |`;
}

function isAnswered({ status }) {
  return status === 200;
}

function goodOf(done) {
  return done.filter((one) => isAnswered(one) && one.ms <= GOOD_MS);
}

function share(part, whole) {
  return `${((100 * part.length) / Math.max(1, whole.length)).toFixed(1)} %`;
}

/** Keeps a process, and those that it starts, on these processors. */
function pin(pid, where) {
  if (processors > 1) execFileSync('taskset', ['-acp', String(where), String(pid)], { stdio: 'ignore' });
}

/** Answers a second. */
async function closedLoop({ url, manySources }, forSeconds, next = () => requestOf(null)) {
  const loop = new OpenLoop(url, GIVE_UP_MS, manySources);
  const until = performance.now() + 1000 * forSeconds;
  let count = 0;
  const one = async () => {
    while (performance.now() < until) if ((await loop.send(next())).status === 200) count += 1;
  };
  await Promise.all(Array.from({ length: CLOSED_LOOP_CONNECTIONS }, one));
  loop.close();
  return count / forSeconds;
}

async function measureRefusals(databaseUrl) {
  const service = await start(databaseUrl, {
    ADMISSION_LIMIT: '1',
    DATABASE_TIMEOUT_MS: '60000',
    READ_DEADLINE_MS: '60000',
  });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN; LOCK TABLE domain IN ACCESS EXCLUSIVE MODE');
    const loop = new OpenLoop(service.url, 60_000);
    const path = '/api/v1/domains/waits.com.au';
    const inWork = loop.send(requestOf(null, path));
    const bare = spawn(process.execPath, ['-e', BARE], { stdio: ['ignore', 'pipe', 'inherit'] });
    pin(bare.pid, `0-${Math.max(0, processors - 2)}`);
    const [port] = await once(bare.stdout, 'data');
    const rounds = [];
    for (let round = 0; round < REFUSAL_ROUNDS; round += 1)
      rounds.push({
        ours: await refuseMany(service.pid, service.url, path),
        least: await refuseMany(bare.pid, `http://127.0.0.1:${port}`, path),
      });
    bare.kill();
    const cells = rounds.map(
      ({ ours, least }, round) =>
        `| ${round + 1} | ${ours.us} | ${least.us} | ${ours.late} | ${quantile(ours.atDoor, 0.99)} |`,
    );
    lines.push(
      `\n${REFUSALS} requests of ${REFUSED_CALLERS} callers, who come again at once, to a service whose line is full:\n`,
      '| round | CPU of a refusal, us | of the same answer by bare Node, us | refused late | p99 of those at the door, ms |',
      '|---:|---:|---:|---:|---:|',
      ...cells,
    );
    await client.query('ROLLBACK');
    await inWork;
    loop.close();
  } finally {
    await client.end();
    await service.stop();
  }
}

async function refuseMany(pid, url, path) {
  const loop = new OpenLoop(url, 60_000);
  const before = await cpuMsOf(pid);
  const refused = [];
  const one = async () => {
    while (refused.length < REFUSALS) {
      const { status, ms } = await loop.send(requestOf(null, path));
      if (status !== 503) throw new Error(`a request that was to be refused was answered ${status}`);
      refused.push({ ms });
    }
  };
  const callers = Array.from({ length: REFUSED_CALLERS }, one);
  await Promise.race(callers);
  const us = (((await cpuMsOf(pid)) - before) / (refused.length / 1000)).toFixed(1);
  const atDoor = refused.filter(({ ms }) => ms < LATE_MS);
  const late = refused.length - atDoor.length;
  await Promise.all(callers);
  loop.close();
  return { us, atDoor, late };
}

async function measureHangUps(databaseUrl) {
  const count = Number(values.gone);
  const services = [await start(databaseUrl), await start(databaseUrl)];
  const address = addressOf();
  const loops = services.map(({ url }) => new OpenLoop(url, GIVE_UP_MS));
  const path = '/v1/suggest?limit=3';
  const tried = [];
  for (let place = 0; place < 40; place += 1) tried.push(await loops[place % 2].send(requestOf(null, path)));
  // Some leave before the answer, some after it.
  const leaveMs = 4 * quantile(tried, 0.5);
  const answeredBefore = tried.filter(({ status }) => status === 200).length;
  let full = 0;
  await Promise.all(
    Array.from({ length: count }, async (_, place) => {
      await pause(Math.random() * 20_000);
      const loop = loops[place % 2];
      const { status } = await loop.send(requestOf(null, path, address), Math.random() * leaveMs);
      if (status === 200) full += 1;
    }),
  );
  for (const loop of loops) loop.close();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const read = () =>
    client.query(`SELECT period_used AS used, reservations FROM record_budget WHERE caller = $1`, [
      `ip:${address}`,
    ]);
  const [gone, limit] = [performance.now(), 30_000];
  let { rows } = await read();
  while (Object.keys(rows[0]?.reservations ?? {}).length > 0 && performance.now() - gone < limit) {
    await pause(50);
    ({ rows } = await read());
  }
  const heldMs = Math.round(performance.now() - gone);
  await client.end();
  for (const service of services) await service.stop();
  // The logs, which are whole now, say what the kernel took.
  const taken = services.reduce((sum, { completed }) => sum + completed(), 0) - answeredBefore;
  const [{ used = 0, reservations = {} } = {}] = rows;
  lines.push(
    `\n${count} callers who hang up within ${leaveMs} ms, two instances: ${full} answers read in full (${3 * full} records), ` +
      `${taken} taken by the kernel (${3 * taken} records), ${used} records charged, ` +
      `${Object.keys(reservations).length} holds left after ${heldMs} ms.`,
  );
}

async function start(databaseUrl, environment) {
  const limits = { recordsPerMinute: MANY, requestsPerMinute: MANY };
  const demo = { ...limits, quota: { period: 'hour', records: MANY } };
  const service = await startService({
    ...{
      DATABASE_URL: databaseUrl,
      TRUST_PROXY: '1',
      AUTH: 'on',
      TIERS: JSON.stringify({ demo, pro: limits }),
    },
    ...{ AUTH_SECRET: 'a secret of the bench alone, which is long enough', MAIL_FOLDER: values.work },
    ...{ REGISTRY_RDAP_URL: 'http://127.0.0.1:9/', DATASET_JOBS: 'off', ARCHIVE_CDX_URL: 'off' },
    ...environment,
  });
  pin(service.pid, `0-${Math.max(0, processors - 2)}`);
  return service;
}

/** Each caller has an address of its own. */
function addressOf() {
  callers += 1;
  return `10.${(callers >> 16) & 255}.${(callers >> 8) & 255}.${callers & 255}`;
}

function requestOf(key, path = '/v1/suggest?limit=3', address = addressOf()) {
  const head = [`GET ${path} HTTP/1.1`, 'Host: bench', `X-Forwarded-For: ${address}`];
  if (key) head.push(`Authorization: Bearer ${key}`);
  return { isPaid: key !== null, text: `${head.join('\r\n')}\r\n\r\n` };
}

function postOf(path, content, ...headers) {
  const body = JSON.stringify(content);
  const head = [`POST ${path} HTTP/1.1`, 'Host: bench', `X-Forwarded-For: ${addressOf()}`, ...headers];
  head.push('Content-Type: application/json', `Content-Length: ${body.length}`);
  return { isPaid: false, text: `${head.join('\r\n')}\r\n\r\n${body}` };
}

function inParts({ text, ...request }) {
  return { ...request, text: text.slice(0, -10), rest: text.slice(-10) };
}

function quantile(times, share) {
  const sorted = times.map(({ ms }) => ms).sort((one, other) => one - other);
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return found === undefined ? '-' : Math.round(found);
}
