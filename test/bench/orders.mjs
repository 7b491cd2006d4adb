/**
 * The CPU time of an order, of the service's process and of PostgreSQL's, without that of registry and registrar:
 *
 *   node test/bench/orders.mjs [--work FOLDER] [--orders 300] [--rounds 5]
 *
 * A program quotes and places, a mandate approves, and a run registers by EPP over TLS and settles. Registry and
 * registrar are sandboxes in this process, which is not counted. Ends with 1 above 20 ms. Writes results/orders.md.
 * Linux only.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { mintApiKey } from '../../dist/src/access/api-key.js';
import { createApp } from '../../dist/src/app/setup.js';
import { createLogger } from '../../dist/src/app/logger.js';
import { readConfig } from '../../dist/src/config/read-config.js';
import { migrate } from '../../dist/src/db/migrate.js';
import { Database } from '../../dist/src/db/database.js';
import { eppSettingsOf, startSandboxRegistrar } from '../../dist/src/demo/sandbox-registrar.js';
import { startSandboxRegistry } from '../../dist/src/demo/sandbox-registry.js';
import { Ledger } from '../../dist/src/orders/ledger/ledger.repository.js';
import { Mandates } from '../../dist/src/orders/mandates/mandates.js';
import { AGREEMENT_NAMES } from '../../dist/src/orders/order/agreements.js';
import { RegistrantRepository } from '../../dist/src/orders/registrants/registrant.repository.js';
import { cpuMsOf, cpuMsOfServer, findPostmaster } from './cpu-time.mjs';
import { describeMachine } from './machine.mjs';
import { startServer } from './server.mjs';
import { startService } from './service.mjs';

const LIMIT_MS = 20;
const AT_ONCE = 4;
const WARM_UP = 100;
const LOOK_EVERY_MS = 100;
const REGISTERED_WITHIN_MS = 5 * 60_000;
const ORDER_CENTS = 2_400;
const DAY_MS = 86_400_000;

const { values } = parseArgs({
  options: {
    work: { type: 'string', default: '/tmp/bowerbird-bench/orders' },
    orders: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '5' },
  },
});
const ORDERS = Number(values.orders);
const ROUNDS = Number(values.rounds);

await mkdir(values.work, { recursive: true });
const server = await startServer(values.work);
const registry = await startSandboxRegistry({ port: 0, names: { get: () => 'available' } });
const registrar = await startSandboxRegistrar({ port: 0 });
let service;
let client;
try {
  const url = await server.createDatabase('orders');
  await migrate(url);
  const settings = {
    ...{ DATABASE_URL: url, HOST: '127.0.0.1', PORT: '0', BASE_URL: 'https://bowerbird.example' },
    ...{ AUTH: 'on', AUTH_SECRET: 'a-secret-of-the-benchmark-0123456789', LOG_LEVEL: 'error' },
    ...{ ORDERS: 'on', ORDER_SECRET_KEY: Buffer.alloc(32, 9).toString('base64') },
    ...{ DATASET_JOBS: 'off', ARCHIVE_CDX_URL: 'off', ADMISSION: 'off' },
    ...{ REGISTRY_RDAP_URL: registry.url, REGISTRY_SOURCE: 'sandbox', REGISTRY_CANARIES: '' },
    ...{ REGISTRY_RATE_PER_SECOND: '1000', REGISTRY_BURST: '1000', REGISTRY_AVAILABILITY_SERVICE: 'off' },
    ...{ ...eppSettingsOf(registrar), EPP_YEAR_CENTS: 'com.au:2180' },
  };
  const customer = await addCustomer(settings);
  // The port is read from its log.
  service = await startService({ ...settings, LOG_LEVEL: 'info' });
  client = new pg.Client({ connectionString: url });
  await client.connect();
  const postmaster = await findPostmaster(url);
  const cpu = async () => [await cpuMsOf(service.pid), await cpuMsOfServer(postmaster)];
  await play('warm', WARM_UP, customer, cpu);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1)
    rounds.push(await play(`bench-${round}`, ORDERS, customer, cpu));
  const { text, both } = toTable(rounds);
  process.stdout.write(text);
  await writeFile(new URL('results/orders.md', import.meta.url), text);
  if (both > LIMIT_MS) process.exitCode = 1;
} finally {
  await client?.end();
  await service?.stop();
  await server.dropDatabase('orders');
  await server.close();
  await registrar.close();
  await registry.close();
}

/** With money, a registrant, a key, and a mandate for the key. */
async function addCustomer(settings) {
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
      ...{ registrantId: id, orderCents: ORDER_CENTS, monthCents: 2 * cents, suffixes: ['com.au'] },
      ...{ keyIds: [keyId], appIds: [], takesUnknown: true, expiresAt: new Date(now.getTime() + DAY_MS) },
    },
    AGREEMENT_NAMES,
    { accountId, by: 'session:bench', from: null },
  );
  await app.close();
  return { registrant: id, bearer: `Bearer ${key.text}` };
}

/** @returns the CPU time an order: of quotes, and of placing until all are registered, in node and in PostgreSQL */
async function play(label, count, customer, cpu) {
  const names = Array.from({ length: count }, (_, place) => `${label}-${place}.com.au`);
  const quotes = new Map();
  const begun = await cpu();
  await each(names, async (domain) => {
    const body = { domain, years: 1, registrant: customer.registrant };
    quotes.set(domain, (await post('/api/v1/registrations/quote', body, customer)).quote);
  });
  const quoted = await cpu();
  await each(names, async (domain) => {
    const body = { quote: quotes.get(domain), accept: AGREEMENT_NAMES };
    await post('/api/v1/registrations', body, customer, randomUUID());
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

async function post(path, body, { bearer }, key) {
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

function toTable(rounds) {
  const median = (numbers) => numbers.toSorted((one, other) => one - other)[numbers.length >> 1];
  const parts = { quote: 'quote', rest: 'place, approve, register, settle', whole: 'an order' };
  const cellsOf = (part) => [
    ...[0, 1].map((place) => median(rounds.map((round) => round[part][place]))),
    median(rounds.map((round) => round[part][0] + round[part][1])),
  ];
  const rows = Object.entries(parts).map(([part, words]) => {
    const cells = cellsOf(part).map((ms) => ms.toFixed(2));
    return `| ${words} | ${cells.join(' | ')} |`;
  });
  const text = [
    `${describeMachine()}; ${new Date().toISOString().slice(0, 10)}. ${ORDERS} orders, ${AT_ONCE} callers; the median of ${ROUNDS} rounds. CPU time in ms an order.`,
    '',
    '| part | node | PostgreSQL | both |',
    '|---|---:|---:|---:|',
    ...rows,
    '',
  ].join('\n');
  return { text, both: cellsOf('whole')[2] };
}
