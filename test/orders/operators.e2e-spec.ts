import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KnowTheRowsOfOrders1766000266959 } from '../../migrations/1766000266959-know-the-rows-of-orders.js';
import { KnowTheLedgerOfOrders1766000266957 } from '../../migrations/1766000266957-know-the-ledger-of-orders.js';
import { backUp } from '../../src/db/backup/backup.js';
import { restore } from '../../src/db/backup/restore.js';
import { createDataSource } from '../../src/db/data-source.js';
import { migrate } from '../../src/db/migrate.js';
import { AccountRepository } from '../../src/accounts/account.repository.js';
import { mintOperatorKey } from '../../src/ops/operator-key.js';
import { Ledger } from '../../src/orders/ledger/ledger.repository.js';
import { OrderingStops } from '../../src/orders/ledger/ordering-stops.repository.js';
import { STOP_REASONS, type StopReason } from '../../src/orders/ledger/stop-reasons.js';
import { cloneTemplate, dropDatabase } from '../support/database.js';
import { addDomain } from '../support/domains.js';
import {
  addCustomer,
  callAs,
  type Customer,
  giveBack,
  order,
  type OrdersApp,
  startOrdersApp,
} from '../support/orders.js';
import { makeFolder } from '../support/processes.js';
import { fieldOf } from '../support/visitor.js';

const DAY = 86_400;
const [ALICE, BOB] = [mintOperatorKey(), mintOperatorKey()];
const REASON = 'seen at the registrar, ticket 4711';

let test: OrdersApp;
let customer: Customer;
let made = 0;
beforeAll(async () => {
  test = await startOrdersApp({
    OPERATOR_KEY_HASH: `alice:${ALICE.hash},bob:${BOB.hash}`,
    ORDER_CREDIT_ALONE_CENTS: '1000',
  });
});
beforeEach(async () => {
  customer = await addCustomer(test);
});
afterEach(async () => expect(await test.app.get(Ledger).prove()).toEqual([]));
afterAll(() => test.close());

const look = (path: string) =>
  test.caller().get(`/ops/v1/${path}`).set('Authorization', `Bearer ${ALICE.text}`);
const act = (path: string, more: object = {}, key = ALICE) =>
  test
    .caller()
    .post(`/ops/v1/${path}`)
    .set('Authorization', `Bearer ${key.text}`)
    .send({ reason: REASON, ...more });
const balance = () => test.app.get(Ledger).balanceOf(customer.accountId);
const quoteNow = () =>
  callAs(test, customer)
    .post('/api/v1/registrations/quote')
    .send({ domain: `stopped-${(made += 1)}.com.au`, years: 1, registrant: customer.registrant });

/** An order whose outcome nobody tells. */
async function undecided(): Promise<string> {
  const name = `undecided-${(made += 1)}.com.au`;
  test.registrar.faults.set(name, ['reply_lost']);
  const id = await order(test, customer, name);
  await test.pass(1);
  test.registrar.isAway = true;
  await test.skip(DAY);
  test.registrar.isAway = false;
  expect(await test.order(id)).toMatchObject({ state: 'needs_operator' });
  return id;
}

describe('an undecided order', () => {
  it.each([
    ['settle', { outcome: 'registered', expires_on: '2027-11-27' }, 'registered', 7_600],
    ['settle', { outcome: 'lost' }, 'lost', 10_000],
    ['release', {}, 'failed', 10_000],
  ])('is shown with its evidence, and ended once: %s %j', async (deed, more, state, cents) => {
    const id = await undecided();
    const { body } = await look('orders/undecided').expect(200);
    expect(body).toMatchObject({ orders: [{ id, state: 'needs_operator' }] });
    expect((await look(`orders/${id}`).expect(200)).body).toMatchObject({ attempts: [{ sends: 1 }] });
    await act(`orders/${id}/${deed}`, more).expect(200);
    expect(await test.order(id)).toMatchObject({ state });
    expect(await balance()).toMatchObject({ balanceCents: cents, heldCents: 0 });
    await act(`orders/${id}/release`).expect(409);
    const audit = await test.database.query('SELECT actor, reason FROM audit_log WHERE action = $1', [
      `order.${deed}`,
    ]);
    expect(audit).toContainEqual({ actor: 'operator:alice', reason: REASON });
  });

  it.each([
    ['registered', 'registrar'],
    ['lost', 'sandbox'],
  ])('is told to the dataset once it is settled: %s, by the %s', async (outcome, by) => {
    const id = await undecided();
    const { domain } = await test.order(id);
    await addDomain(test.database, { domain });
    test.names.set(domain, 'registered');
    await act(`orders/${id}/settle`, { outcome }).expect(200);
    await test.pass(300);
    const rows = await test.database.query(
      'SELECT registry_state AS said, confirmed_by AS by FROM domain WHERE domain = $1',
      [domain],
    );
    expect(rows).toEqual([{ said: 'registered', by }]);
  });

  it('is nobody else: 404; and one that is waiting or ended has nothing to decide', async () => {
    await act(`orders/${randomUUID()}/release`).expect(404);
    await look(`orders/${randomUUID()}`).expect(404);
    const id = await order(test, customer, `waits-${(made += 1)}.com.au`);
    await act(`orders/${id}/settle`, { outcome: 'lost' }).expect(409);
    expect(await balance()).toMatchObject({ heldCents: 2_400 });
  });
});

describe('a name that was being given back when another had it', () => {
  it.each([
    ['settle', { outcome: 'lost' }, 'lost', 10_000],
    ['release', {}, 'failed', 10_000],
    ['settle', { outcome: 'registered' }, 'registered', 7_600],
  ])('waits for an operator, who decides about the money: %s %j', async (deed, more, state, cents) => {
    const name = `given-back-${(made += 1)}.com.au`;
    const id = await order(test, customer, name);
    await test.pass(1);
    // It went to another registrar before our command was sent.
    test.registrar.holders.set(name, 'somebody');
    await giveBack(test, customer, id);
    await test.pass(60);
    const { body } = await callAs(test, customer).get(`/api/v1/registrations/${id}`).expect(200);
    expect(body).toMatchObject({
      order: { state: 'needs_operator', reason: expect.stringContaining('another has the name') },
    });
    await callAs(test, customer).post(`/api/v1/registrations/${id}/cancel`).expect(409);
    await test.pass(DAY);
    expect((await look('orders/undecided').expect(200)).body).toMatchObject({ orders: [{ id }] });
    expect(await balance()).toMatchObject({ balanceCents: 7_600, heldCents: 0 });
    await act(`orders/${id}/${deed}`, more).expect(200);
    await act(`orders/${id}/release`).expect(409);
    await test.pass(60);
    expect(await test.order(id)).toMatchObject({ state });
    expect(await balance()).toMatchObject({ balanceCents: cents, heldCents: 0 });
  });
});

describe('stops', () => {
  it('the button stops ordering for all, and is released again', async () => {
    await act('orders/stop').expect(200);
    expect((await look('orders').expect(200)).body).toMatchObject({
      takes_orders: false,
      stops: [{ reason: 'operator', words: REASON }],
    });
    await quoteNow().expect(503);
    await act('orders/resume', { stop: 'operator' }).expect(200);
    await quoteNow().expect(200);
  });

  it.each(Object.keys(STOP_REASONS) as StopReason[])('%s is cleared', async (stop) => {
    await test.app.get(OrderingStops).stop(stop, 'a test', new Date());
    await quoteNow().expect(503);
    expect((await act('orders/resume', { stop }).expect(200)).body).toMatchObject({ changed: true });
    expect((await act('orders/resume', { stop }).expect(200)).body).toMatchObject({ changed: false });
    await quoteNow().expect(200);
  });
});

it('a database that was restored elsewhere takes no order until an operator has compared it', async () => {
  await order(test, customer, `before-${(made += 1)}.com.au`);
  await test.database.query(`UPDATE ordering_place SET place = 'the place of the backup'`);
  await quoteNow().expect(503);
  expect((await look('orders').expect(200)).body).toMatchObject({ stops: [{ reason: 'restored' }] });
  await act('orders/resume', { stop: 'restored' }).expect(200);
  await quoteNow().expect(200);
  expect((await act('orders/resume', { stop: 'restored' }).expect(200)).body).toMatchObject({
    changed: false,
  });
});

it('a newer version takes orders in the same place, and none where the place differed before', async () => {
  await order(test, customer, `newer-${(made += 1)}.com.au`);
  const source = await createDataSource(test.databaseUrl, 1, () => undefined).initialize();
  const [runner, migration] = [source.createQueryRunner(), new KnowTheLedgerOfOrders1766000266957()];
  const rows = new KnowTheRowsOfOrders1766000266959();
  const stops = test.app.get(OrderingStops);
  try {
    await rows.down(runner);
    await migration.down(runner);
    await migration.up(runner);
    await rows.up(runner);
    expect(await stops.list()).toEqual([]);
    await runner.query(`UPDATE ordering_place SET place = 'the place of the backup'`);
    await migration.up(runner);
    expect(await stops.list()).toMatchObject([{ reason: 'restored' }]);
  } finally {
    await runner.release();
    await source.destroy();
    await stops.clear('restored');
  }
});

it('rows restored into their own tables take no order until they are compared', async () => {
  await order(test, customer, `own-rows-${(made += 1)}.com.au`);
  const stops = test.app.get(OrderingStops);
  for (const upkeep of ['VACUUM FULL', 'VACUUM FREEZE']) {
    await test.database.query(`${upkeep} ordering_place`);
    expect(await stops.list()).toEqual([]);
  }
  await test.database.transaction(async (transaction) => {
    await transaction.query('CREATE TEMPORARY TABLE backup ON COMMIT DROP AS SELECT * FROM ordering_place');
    await transaction.query('TRUNCATE ordering_place');
    await transaction.query('INSERT INTO ordering_place SELECT * FROM backup');
  });
  await quoteNow().expect(503);
  expect(await stops.list()).toMatchObject([{ reason: 'restored' }]);
  await act('orders/resume', { stop: 'restored' }).expect(200);
  await quoteNow().expect(200);
  expect(await stops.list()).toEqual([]);
});

it('a copied disk that is older than what was seen of it takes no order until it is compared', async () => {
  const url = await cloneTemplate();
  const DATA_DIR = await makeFolder('seen');
  const live = await startOrdersApp({ DATABASE_URL: url, DATA_DIR });
  try {
    const buyer = await addCustomer(live);
    await order(live, buyer, 'before-copy.com.au');
    await live.pass(1);
    await live.watch();
    await live.watch();
    const stops = live.app.get(OrderingStops);
    expect(await stops.list()).toEqual([]);
    const id = await order(live, buyer, 'after-copy.com.au');
    // As if more had been written since the copy.
    const file = join(DATA_DIR, 'ordering-place');
    const [place, flushed = '0'] = (await readFile(file, 'utf8')).split(' ');
    await writeFile(file, `${place} ${BigInt(flushed) + 10n ** 9n}`);
    const copy = await startOrdersApp({ DATABASE_URL: url, DATA_DIR }, live);
    try {
      await copy.pass(60);
      expect(await copy.order(id)).toMatchObject({ state: 'approved' });
      expect(live.registrar.requests.has('after-copy.com.au')).toBe(false);
      expect(await stops.list()).toMatchObject([{ reason: 'restored' }]);
      await copy.watch();
      await stops.clear('restored');
      await copy.watch();
      expect(await stops.list()).toEqual([]);
      await copy.pass(60);
      expect(await copy.order(id)).toMatchObject({ state: 'registered' });
    } finally {
      await copy.close();
    }
  } finally {
    await live.close();
    dropDatabase(url);
  }
});

it('a backup restored into its own database, made anew there, takes no order until it is compared', async () => {
  const url = await cloneTemplate();
  const live = await startOrdersApp({ DATABASE_URL: url });
  const nobody = () => undefined;
  try {
    const buyer = await addCustomer(live);
    await order(live, buyer, 'backed-up.com.au');
    // Writes the tables anew and keeps them what they are.
    await live.database.query('VACUUM FULL ledger_entry');
    expect(await live.app.get(OrderingStops).list()).toEqual([]);
    const file = join(await makeFolder('own-backup'), 'backup');
    await backUp(live.database, file, nobody);
    await live.database.query('DROP SCHEMA public CASCADE');
    await live.database.query('CREATE SCHEMA public');
    await migrate(url);
    await restore(live.database, file, nobody);
    const restored = await startOrdersApp({ DATABASE_URL: url }, live);
    try {
      const stops = restored.app.get(OrderingStops);
      const quote = () =>
        callAs(restored, buyer)
          .post('/api/v1/registrations/quote')
          .send({ domain: 'after-backup.com.au', years: 1, registrant: buyer.registrant });
      expect((await quote().expect(503)).body).toMatchObject({ error: { code: 'ordering_stopped' } });
      expect(await stops.list()).toMatchObject([{ reason: 'restored' }]);
      await stops.clear('restored');
      await quote().expect(200);
    } finally {
      await restored.close();
    }
  } finally {
    await live.close();
    dropDatabase(url);
  }
});

describe('a credit', () => {
  it('is booked at once up to the limit, and above it by a second operator', async () => {
    const credit = (cents: number) => act('orders/credits', { account: customer.accountId, cents });
    expect((await credit(1_000).expect(200)).body).toMatchObject({ is_booked: true });
    expect(await balance()).toMatchObject({ balanceCents: 11_000 });
    const { body } = await credit(1_001).expect(200);
    expect(body).toMatchObject({ is_booked: false });
    const { id } = body as { id: string };
    expect((await look('orders')).body).toMatchObject({ waiting_credits: [{ id, cents: 1_001 }] });
    await act(`orders/credits/${id}/approve`).expect(409);
    await act(`orders/credits/${id}/approve`, {}, BOB).expect(200);
    await act(`orders/credits/${id}/approve`, {}, BOB).expect(404);
    expect(await balance()).toMatchObject({ balanceCents: 12_001 });
  });

  it('waits for a second operator once those of a day come to more, whatever each is', async () => {
    const credit = (account: string) => act('orders/credits', { account, cents: 400 }).expect(200);
    const { accountId } = customer;
    const made = await Promise.all(Array.from({ length: 5 }, () => credit(accountId)));
    expect(made.filter(({ body }) => (body as { is_booked: boolean }).is_booked)).toHaveLength(2);
    const other = await addCustomer(test);
    expect((await credit(other.accountId)).body).toMatchObject({ is_booked: true });
    test.clock.set(new Date((await test.clock.now()).getTime() + DAY * 1_000));
    expect((await credit(accountId)).body).toMatchObject({ is_booked: true });
  });

  it('below zero writes a balance off, no more than is free, so that its account can be deleted', async () => {
    const { accountId: account } = customer;
    const writeOff = async (cents: number) =>
      (await act('orders/write-offs', { account, cents }).expect(200)).body as {
        id: string;
        is_booked: boolean;
      };
    expect(await writeOff(700)).toMatchObject({ is_booked: true });
    expect(await balance()).toMatchObject({ balanceCents: 9_300 });
    const [tooMuch, rest] = [await writeOff(9_301), await writeOff(9_300)];
    expect([tooMuch.is_booked, rest.is_booked]).toEqual([false, false]);
    await act(`orders/credits/${tooMuch.id}/approve`, {}, BOB).expect(402);
    await act(`orders/credits/${rest.id}/approve`, {}, BOB).expect(200);
    expect(await balance()).toMatchObject({ balanceCents: 0 });
    expect(await test.app.get(AccountRepository).findOpenBusiness(account)).toBeNull();
  });

  it('asked for again with its key is booked once, and has an address', async () => {
    const before = await balance();
    const ask = (cents: number) =>
      act('orders/credits', { account: customer.accountId, cents }).set('Idempotency-Key', 'one-credit');
    const [first, again] = [await ask(700).expect(200), await ask(700).expect(200)];
    expect(again.body).toEqual(first.body);
    const { id } = first.body as { id: string };
    expect(first.headers.location).toBe(`/ops/v1/orders/credits/${id}`);
    expect((await look(`orders/credits/${id}`).expect(200)).body).toEqual(first.body);
    await ask(701).expect(409);
    expect(await balance()).toMatchObject({ balanceCents: before.balanceCents + 700 });
  });
});

it('has a page, which leads to each deed', async () => {
  const id = await undecided();
  const browser = test.caller();
  const { text: form } = await browser.get('/ops/sign-in').expect(200);
  await browser
    .post('/ops/sign-in')
    .type('form')
    .send({ form_token: fieldOf(form, 'form_token'), key: ALICE.text });
  const { text } = await browser.get('/ops/orders').expect(200);
  for (const words of ['Names can be ordered', 'Stop ordering', 'Credit an account', `/ops/orders/${id}`])
    expect(text).toContain(words);
  await test.database.query(
    `INSERT INTO registrar_exchange (registrar, cltrid, command, sent_at, took_ms, request, reply, result)
     SELECT registrar, cltrid, 'create', now(), 5, '<epp><name>a</name><x/></epp>', NULL, 'no reply'
       FROM registration_attempt WHERE order_id = $1`,
    [id],
  );
  const { text: page } = await browser.get(`/ops/orders/${id}`).expect(200);
  expect(page).toMatch(
    /<summary>Request of create, [^<]* UTC\)<\/summary><pre [^>]*>&lt;epp&gt;\n  &lt;name&gt;a&lt;\/name&gt;\n  &lt;x\/&gt;\n&lt;\/epp&gt;<\/pre>/,
  );
  expect(page).not.toContain('Reply to create');
  expect(page).not.toContain('data-label="Request"');
  expect(page).toContain('/ops/do/settleOrder');
  expect(page).toContain('/ops/do/releaseOrder');
  // What can be done comes first, and the state in words.
  expect(page.indexOf('/ops/do/releaseOrder')).toBeLessThan(page.indexOf('<dl>'));
  expect(page).toContain('<span class="chip wait">We’re looking into it</span>');
  expect(page).not.toContain('needs_operator');
});
