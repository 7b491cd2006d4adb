/**
 * The CPU time of an order, of the service's process and of PostgreSQL's:
 *
 *   node test/bench/orders.mjs [--beside FOLDER,FOLDER] [--work FOLDER] [--orders 300] [--rounds 5]
 *
 * A program quotes and places, a mandate approves, and a run registers by EPP over TLS and settles. All that service and
 * server do meanwhile is counted; registry and registrar, sandboxes in this process, are not. The service's own end of
 * EPP and TLS is counted too, and told apart: as much as a process takes that does nothing else (orders-epp.mjs). FOLDERS
 * are built checkouts: each side has a service and a database of its own, and rounds go in turns. 3,000 orders go before:
 * a service runs for weeks, and Node still compiles meanwhile what orders run. Ends with 1 above 20 ms. Writes
 * results/orders.md. Linux only.
 */
import { execFileSync, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { cpuMsOf, cpuMsOfServer, findPostmaster } from './cpu-time.mjs';
import { describeMachine } from './machine.mjs';
import { startServer } from './server.mjs';
import { mainOf, startService } from './service.mjs';

const HERE = resolve(import.meta.dirname, '../..');
const LIMIT_MS = 20;
const AT_ONCE = 4;
const WARM_UP = 3_000;
const LOOK_EVERY_MS = 100;
const REGISTERED_WITHIN_MS = 5 * 60_000;
const ORDER_CENTS = 2_400;
const DAY_MS = 86_400_000;

const { values } = parseArgs({
  options: {
    beside: { type: 'string', default: '' },
    work: { type: 'string', default: '/tmp/bowerbird-bench/orders' },
    orders: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '5' },
  },
});
const ORDERS = Number(values.orders);
const ROUNDS = Number(values.rounds);

await mkdir(values.work, { recursive: true });
const server = await startServer(values.work);
const { startSandboxRegistry } = await load(HERE, 'demo/sandbox-registry');
const { eppSettingsOf, startSandboxRegistrar } = await load(HERE, 'demo/sandbox-registrar');
const { AGREEMENT_NAMES } = await load(HERE, 'orders/order/agreements');
const registry = await startSandboxRegistry({ port: 0, names: { get: () => 'available' } });
const sides = [];
try {
  const postmaster = await findPostmaster(server.url);
  for (const folder of [
    ...values.beside
      .split(',')
      .filter(Boolean)
      .map((one) => resolve(one)),
    HERE,
  ]) {
    const side = { name: nameOf(folder), database: `orders_${sides.length}`, rounds: [] };
    sides.push(side);
    await open(side, folder);
    side.cpu = async () => [await cpuMsOf(side.service.pid), await cpuMsOfServer(postmaster)];
    await play(side, 'warm', WARM_UP);
    side.transactions = -(await countTransactions(side));
  }
  for (let round = 0; round < ROUNDS; round += 1)
    for (const side of round % 2 === 0 ? sides : sides.toReversed())
      side.rounds.push(await play(side, `bench-${round}`, ORDERS));
  for (const side of sides) {
    side.eppMs = await cpuMsOfEpp(side);
    // The last of them are counted when their sessions end.
    await side.service.stop();
    side.transactions += await countTransactions(side);
    side.times = await timesOf(side);
  }
  const text = toText();
  process.stdout.write(text);
  await writeFile(new URL('results/orders.md', import.meta.url), text);
  if (figuresOf(sides.at(-1)).both > LIMIT_MS) process.exitCode = 1;
} finally {
  for (const side of sides) {
    await side.client?.end();
    await side.service?.stop();
    await side.registrar?.close();
    await server.dropDatabase(side.database);
  }
  await server.close();
  await registry.close();
}

function nameOf(folder) {
  const commit = () =>
    execFileSync('git', ['-C', folder, 'rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' });
  return folder === HERE ? 'this' : commit().trim();
}

/** A compiled file of a checkout. */
function load(folder, path) {
  return import(join(folder, 'dist/src', `${path}.js`));
}

async function open(side, folder) {
  const url = await server.createDatabase(side.database);
  await (await load(folder, 'db/migrate')).migrate(url);
  side.registrar = await startSandboxRegistrar({ port: 0 });
  const settings = {
    ...{ DATABASE_URL: url, HOST: '127.0.0.1', PORT: '0', BASE_URL: 'https://bowerbird.example' },
    ...{ AUTH: 'on', AUTH_SECRET: 'a-secret-of-the-benchmark-0123456789', LOG_LEVEL: 'error' },
    ...{ ORDERS: 'on', ORDER_SECRET_KEY: Buffer.alloc(32, 9).toString('base64') },
    ...{ DATASET_JOBS: 'off', ARCHIVE_CDX_URL: 'off', ADMISSION: 'off' },
    ...{ REGISTRY_RDAP_URL: registry.url, REGISTRY_SOURCE: 'sandbox', REGISTRY_CANARIES: '' },
    ...{ REGISTRY_RATE_PER_SECOND: '1000', REGISTRY_BURST: '1000', REGISTRY_AVAILABILITY_SERVICE: 'off' },
    ...{ ...eppSettingsOf(side.registrar), EPP_YEAR_CENTS: 'com.au:2180' },
  };
  side.customer = await addCustomer(folder, settings);
  // The port is read from its log.
  side.service = await startService({ ...settings, LOG_LEVEL: 'info' }, mainOf(folder));
  side.client = new pg.Client({ connectionString: url });
  await side.client.connect();
}

/** Of this checkout: the work of EPP is the same in all. @returns CPU ms an order */
async function cpuMsOfEpp({ registrar }) {
  const { host, port, ca, certificate, key, client, password } = registrar;
  const child = fork(join(import.meta.dirname, 'orders-epp.mjs'), [String(WARM_UP), String(ORDERS)]);
  child.send({ host, port, ca, certificate, key, client, password });
  const [ms] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`orders-epp.mjs ended with ${code}`);
    }),
  ]);
  return ms;
}

async function countTransactions({ database, client }) {
  const { rows } = await client.query(
    'SELECT xact_commit::int AS count FROM pg_stat_database WHERE datname = $1',
    [database],
  );
  return rows[0].count;
}

/** The ms from placing to registering, p50 and p95: each order waits for the others of its round. */
async function timesOf({ client }) {
  const { rows } = await client.query(
    `SELECT percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY extract(epoch FROM settled_at - placed_at) * 1000) AS ms
       FROM registration_order WHERE domain LIKE 'bench-%'`,
  );
  return rows[0].ms;
}

/** With money, a registrant, a key, and a mandate for the key. */
async function addCustomer(folder, settings) {
  const { mintApiKey } = await load(folder, 'access/api-key');
  const { createApp } = await load(folder, 'app/setup');
  const { createLogger } = await load(folder, 'app/logger');
  const { readConfig } = await load(folder, 'config/read-config');
  const { Database } = await load(folder, 'db/database');
  const { Ledger } = await load(folder, 'orders/ledger/ledger.repository');
  const { Mandates } = await load(folder, 'orders/mandates/mandates');
  const { hashOfHolder } = await load(folder, 'orders/order/quote-token');
  const { RegistrantRepository } = await load(folder, 'orders/registrants/registrant.repository');
  const app = await createApp(readConfig(settings), createLogger('error'));
  const database = app.get(Database);
  const [{ id: accountId }] = await database.query(
    `INSERT INTO account (email, email_verified, name, tier) VALUES ($1, true, 'Bench', 'firehose') RETURNING id`,
    [`${randomUUID()}@example.com`],
  );
  const key = mintApiKey('live');
  const scopes = ['read', 'orders:read', 'orders:quote', 'orders:place'];
  const [{ id: keyId }] = await database.query(
    `INSERT INTO api_key (account_id, name, kind, scopes, submission, hash, start, tail)
     VALUES ($1, 'Bench', 'live', $2, $3, $4, $5, $6) RETURNING id`,
    [accountId, scopes, randomUUID(), key.hash, key.start, key.tail],
  );
  const now = new Date();
  const id = randomUUID();
  const contact = {
    ...{ name: 'Mia Example', email: 'mia@example.com', phone: '+61.299990000', street: ['12 Elizabeth St'] },
    ...{ city: 'Hobart', state: 'TAS', postcode: '7000' },
  };
  const registrant = {
    ...{ legalName: 'Example Pty Ltd', idType: 'ACN', id: '004085616', eligibilityType: 'Company', contact },
  };
  await app.get(RegistrantRepository).insert(accountId, { id, registrant, createdAt: now, changedAt: now });
  const cents = (WARM_UP + ORDERS * ROUNDS) * ORDER_CENTS;
  const entries = [
    { kind: 'customer', accountId, cents },
    { kind: 'goodwill', cents: -cents },
  ];
  await database.transaction((transaction) =>
    app
      .get(Ledger)
      .post(transaction, { kind: 'credit', source: randomUUID(), words: 'Bench', at: now, entries }),
  );
  await app.get(Mandates).make(
    {
      ...{ registrantId: id, holder: hashOfHolder(registrant), suffixes: ['com.au'] },
      ...{ orderCents: ORDER_CENTS, monthCents: 2 * cents },
      ...{ keyIds: [keyId], appIds: [], takesUnknown: true, expiresAt: new Date(now.getTime() + DAY_MS) },
    },
    AGREEMENT_NAMES,
    { accountId, by: 'session:bench', from: null },
  );
  await app.close();
  return { registrant: id, bearer: `Bearer ${key.text}` };
}

/** @returns the CPU time an order: of quotes, and of placing until all are registered, in node and in PostgreSQL */
async function play({ client, cpu, customer, service }, label, count) {
  const names = Array.from({ length: count }, (_, place) => `${label}-${place}.com.au`);
  const quotes = new Map();
  const begun = await cpu();
  await each(names, async (domain) => {
    const body = { domain, years: 1, registrant: customer.registrant };
    quotes.set(domain, (await post(service, '/api/v1/registrations/quote', body, customer)).quote);
  });
  const quoted = await cpu();
  await each(names, async (domain) => {
    const body = { quote: quotes.get(domain), accept: AGREEMENT_NAMES };
    await post(service, '/api/v1/registrations', body, customer, randomUUID());
  });
  for (const end = performance.now() + REGISTERED_WITHIN_MS; ; await pause(LOOK_EVERY_MS)) {
    const { rows } = await client.query(
      `SELECT count(*)::int AS done FROM registration_order WHERE state = 'registered' AND domain LIKE $1`,
      [`${label}-%`],
    );
    if (rows[0].done === count) break;
    if (performance.now() > end)
      throw new Error(`${rows[0].done} of ${count} orders were registered in time`);
  }
  const settled = await cpu();
  const perOrder = (from, to) => to.map((ms, place) => (ms - from[place]) / count);
  return { quote: perOrder(begun, quoted), rest: perOrder(quoted, settled), whole: perOrder(begun, settled) };
}

async function each(names, work) {
  let next = 0;
  const one = async () => {
    while (next < names.length) await work(names[next++]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

async function post(service, path, body, { bearer }, key) {
  const headers = {
    Authorization: bearer,
    'Content-Type': 'application/json',
    ...(key && { 'Idempotency-Key': key }),
  };
  const response = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok)
    throw new Error(`${path} was answered with ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}

function figuresOf({ rounds }) {
  const median = (numbers) => numbers.toSorted((one, other) => one - other)[numbers.length >> 1];
  const of = (part) => [
    ...[0, 1].map((place) => median(rounds.map((round) => round[part][place]))),
    median(rounds.map((round) => round[part][0] + round[part][1])),
  ];
  const whole = rounds.map(({ whole: [node, postgres] }) => node + postgres);
  return { of, both: median(whole), range: [Math.min(...whole), Math.max(...whole)] };
}

function toText() {
  const parts = { quote: 'quote', rest: 'place, approve, register, settle', whole: 'an order' };
  const rows = sides.flatMap((side) => {
    const { of, range } = figuresOf(side);
    const shown = (numbers) => numbers.map((ms) => ms.toFixed(2)).join(' | ');
    return [
      ...Object.entries(parts).map(([part, words]) => `| ${side.name} | ${words} | ${shown(of(part))} |`),
      `| ${side.name} | of it, EPP and TLS | ${side.eppMs.toFixed(2)} | | |`,
      `| ${side.name} | least and most of a round | | | ${range.map((ms) => ms.toFixed(1)).join(' to ')} |`,
      `| ${side.name} | time, p50 and p95 | | | ${side.times.map(Math.round).join(' and ')} |`,
      `| ${side.name} | transactions | | ${(side.transactions / ORDERS / ROUNDS).toFixed(1)} | |`,
    ];
  });
  return [
    `${describeMachine()}; ${new Date().toISOString().slice(0, 10)}. ${ORDERS} orders behind ${WARM_UP} others, ${AT_ONCE} callers; the median of ${ROUNDS} rounds. CPU time in ms an order.`,
    '',
    '| side | part | node | PostgreSQL | both |',
    '|---|---|---:|---:|---:|',
    ...rows,
    '',
  ].join('\n');
}
