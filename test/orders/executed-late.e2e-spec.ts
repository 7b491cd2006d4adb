import { randomUUID } from 'node:crypto';
import { mintOperatorKey } from '../../src/ops/operator-key.js';
import { Ledger } from '../../src/orders/ledger/ledger.repository.js';
import { OrderDesk } from '../../src/orders/order/order-desk.js';
import { SealedRows } from '../../src/orders/order/sealed-rows.repository.js';
import { type Attempt, newAttempt } from '../../src/orders/registrar/port.js';
import type { WorkCursor } from '../../src/work/kind.js';
import {
  ACCEPTED,
  addCustomer,
  callAs,
  credit,
  type Customer,
  order,
  type OrdersApp,
  REGISTRANT,
  startOrdersApp,
} from '../support/orders.js';

const HOUR = 3_600;
const DAY = 24 * HOUR;
const TWENTY_MINUTES = 1_200;
const TOTAL = 2_400;
const ALICE = mintOperatorKey();
const REASON = 'the customer wrote that it keeps the name, ticket 4711';

let test: OrdersApp;
let customer: Customer;
let made = 0;
beforeAll(async () => {
  test = await startOrdersApp({ OPERATOR_KEY_HASH: `alice:${ALICE.hash}` });
});
beforeEach(async () => {
  test.clock.set(new Date('2026-11-27T00:00:00Z'));
  customer = await addCustomer(test);
});
afterEach(async () => {
  expect(await test.app.get(Ledger).prove()).toEqual([]);
  await test.database.query('TRUNCATE registrar_finding; UPDATE registration_attempt SET asks = 0');
});
afterAll(() => test.close());

const freeName = () => `late-${(made += 1)}.com.au`;
const balance = () => test.app.get(Ledger).balanceOf(customer.accountId);
const keep = (id: string) =>
  test
    .caller()
    .post(`/ops/v1/orders/${id}/keep`)
    .set('Authorization', `Bearer ${ALICE.text}`)
    .send({ reason: REASON });
async function findingsOf(...names: string[]): Promise<Record<string, string>[]> {
  const { body } = await test
    .caller()
    .get('/ops/v1/registrars')
    .set('Authorization', `Bearer ${ALICE.text}`)
    .expect(200);
  const { findings } = body as { findings: Record<string, string>[] };
  return findings.filter(({ subject = '' }) => names.includes(subject));
}
const toldOf = (id: string) =>
  test.database.query<{ type: string; reason: string }>(
    `SELECT type, reason FROM order_notice WHERE order_id = $1 AND type = 'registration.executed_late'`,
    [id],
  );
async function reconcileAnHourLater(cursor: WorkCursor | null = null): Promise<WorkCursor | null> {
  await test.skip(HOUR);
  return test.run('registrar-reconcile', '', cursor);
}

/** An order whose requests were lost. */
async function failedOrder(name = freeName()): Promise<{ id: string; name: string }> {
  test.registrar.faults.set(name, ['request_lost', 'request_lost']);
  const id = await order(test, customer, name);
  await test.pass(TWENTY_MINUTES);
  expect(await test.order(id)).toMatchObject({ state: 'failed' });
  return { id, name };
}

/** Orders and approves a renewal. @returns the id of its order */
async function renew(registered: string): Promise<string> {
  const quoted = await callAs(test, customer)
    .post(`/api/v1/registrations/${registered}/renewal`)
    .send({ years: 1 })
    .expect(200);
  const placed = await callAs(test, customer)
    .post('/api/v1/registrations')
    .set('Idempotency-Key', randomUUID())
    .send({ quote: (quoted.body as { quote: string }).quote, accept: ACCEPTED })
    .expect(202);
  const { id } = (placed.body as { order: { id: string } }).order;
  const actor = { accountId: customer.accountId, by: 'session:test', from: null };
  await test.app.get(OrderDesk).approve(id, ACCEPTED, actor);
  return id;
}

/** A renewal whose requests were lost, of a name that is registered. */
async function failedRenewal() {
  const name = freeName();
  const registered = await order(test, customer, name);
  await test.pass(1);
  test.clock.set(new Date('2027-10-01T00:00:00Z'));
  test.registrar.faults.set(name, ['request_lost', 'request_lost']);
  const id = await renew(registered);
  await test.pass(TWENTY_MINUTES);
  expect(await test.order(id)).toMatchObject({ state: 'failed' });
  return { id, name, registered };
}
const END = new Date('2028-11-27T00:00:00Z');

it('a renewal that was executed after its order had ended is told to its owner once, uncharged', async () => {
  const { id, name, registered } = await failedRenewal();
  const before = await balance();
  await reconcileAnHourLater();
  expect(await findingsOf(name)).toEqual([]);
  test.registrar.ends.set(name, END);
  await reconcileAnHourLater();
  await reconcileAnHourLater();
  const said = expect.stringMatching(/^made-up renewed the name after this order had ended: found on 2027-/);
  expect(await toldOf(id)).toEqual([{ type: 'registration.executed_late', reason: said }]);
  expect(await test.order(id)).toMatchObject({ state: 'failed', reason: said });
  expect(await findingsOf(name)).toMatchObject([
    { kind: 'expiry', subject: name, words: expect.stringMatching(/^Order \d+ ended without renewing/) },
  ]);
  expect(await balance()).toEqual(before);
  expect(await test.order(registered)).toMatchObject({ expiresAt: new Date('2027-11-27T00:00:00Z') });
});

it('a later renewal explains a later end: nothing is found', async () => {
  const { id, name, registered } = await failedRenewal();
  await renew(registered);
  await test.pass(1);
  expect(test.registrar.renewals).toContain(name);
  await reconcileAnHourLater();
  expect([await toldOf(id), await findingsOf(name)]).toEqual([[], []]);
});

it('a renewal that a later one has paid for cannot be kept, though its finding is open', async () => {
  const { id, name, registered } = await failedRenewal();
  test.registrar.ends.set(name, END);
  await reconcileAnHourLater();
  await expect(renew(registered)).rejects.toMatchObject({ code: 'order_closed' });
  // As one leaves it that was sent in the same moment.
  await test.database.query('UPDATE registration_order SET expires_at = $2 WHERE id = $1', [registered, END]);
  const before = await balance();
  await keep(id).expect(409);
  expect(await balance()).toEqual(before);
  expect(await test.order(id)).toMatchObject({ state: 'failed' });
});

/** Copies of an order that failed, with names and attempts of their own. */
async function addFailed(like: string, count: number): Promise<Attempt[]> {
  const attempts: Attempt[] = [];
  const rows = test.app.get(SealedRows);
  const sample = await test.order(like);
  await test.database.transaction(async (transaction) => {
    for (let copy = 0; copy < count; copy += 1) {
      const name = freeName();
      const [row] = await transaction.query<{ id: string }>(
        `INSERT INTO registration_order
           (id, account_id, idempotency_key, request_hash, domain, years, registrant_id, registrar, total_cents,
            gst_cents, registrar_cents, agreements, is_drop, state, placed_by, placed_at, lapses_at, changed_at,
            settled_at, sealed)
         SELECT gen_random_uuid(), account_id, gen_random_uuid()::text, request_hash, $2, years, registrant_id,
                registrar, total_cents, gst_cents, registrar_cents, agreements, is_drop, state, placed_by, placed_at,
                lapses_at, changed_at, settled_at, sealed
           FROM registration_order WHERE id = $1 RETURNING id`,
        [like, name],
      );
      const wish = { id: randomUUID(), order: row?.id ?? '', registrar: 'made-up', name, years: 1 };
      const attempt = newAttempt({ ...wish, registrant: REGISTRANT, policyReason: 1 }, sample.placedAt);
      await transaction.query(
        `INSERT INTO registration_attempt (id, order_id, registrar, sealed, cltrid, sent_at)
         VALUES ($1, $2, 'made-up', $3, $4, $5)`,
        [attempt.id, attempt.order, rows.seal(attempt, attempt.id), attempt.clTRID, attempt.startedAt],
      );
      attempts.push(attempt);
    }
    await transaction.query(
      `UPDATE registration_attempt SET ended_at = $1, ended_as = 'failed', asks = 1 WHERE ended_at IS NULL`,
      [await test.clock.now()],
    );
  });
  return attempts;
}

it('each of many ended attempts is asked about in its turn, and what was found stays until it ends', async () => {
  const first = await failedOrder();
  await addFailed(first.id, 60);
  const last = await failedOrder();
  for (const { name } of [first, last]) test.registrar.executeLate(name);
  const found = async () => (await findingsOf(first.name, last.name)).map(({ subject }) => subject).sort();
  const cursor = await reconcileAnHourLater();
  expect([await toldOf(first.id), await toldOf(last.id)]).toMatchObject([[{}], []]);
  const next = await reconcileAnHourLater(cursor);
  expect([await toldOf(first.id), await toldOf(last.id)]).toMatchObject([[{}], [{}]]);
  expect(await found()).toEqual([first.name, last.name].sort());
  test.registrar.holders.delete(first.name);
  await reconcileAnHourLater(next);
  expect(await found()).toEqual([last.name]);
});

it('of many that were found late, each is asked about until it ends, and none of them ends before', async () => {
  const { id, name: gone } = await failedOrder();
  test.registrar.executeLate(gone);
  const attempts = await addFailed(id, 119);
  for (const attempt of attempts) test.registrar.holders.set(attempt.name, attempt);
  let cursor: WorkCursor | null = null;
  const hours = async (count: number) => {
    for (let hour = 0; hour < count; hour += 1) cursor = await reconcileAnHourLater(cursor);
    const found = await test.database.query<{ subject: string }>(
      'SELECT subject FROM registrar_finding WHERE subject = ANY ($1)',
      [[gone, ...attempts.map(({ name }) => name)]],
    );
    return found.map(({ subject }) => subject).sort();
  };
  const names = attempts.map(({ name }) => name);
  expect(await hours(3)).toEqual([gone, ...names].sort());
  await test.skip(8 * DAY);
  const last = names.pop() ?? '';
  for (const name of [gone, last]) test.registrar.holders.delete(name);
  expect(await hours(6)).toEqual(names.sort());
});

it('an attempt that no key opens keeps no other from being asked about', async () => {
  const [lost, found] = [await failedOrder(), await failedOrder()];
  await test.database.query(
    'UPDATE registration_attempt SET sealed = set_byte(sealed, 20, 255 - get_byte(sealed, 20)) WHERE order_id = $1',
    [lost.id],
  );
  for (const { name } of [lost, found]) test.registrar.executeLate(name);
  await reconcileAnHourLater();
  expect([await toldOf(lost.id), await toldOf(found.id)]).toMatchObject([[], [{}]]);
});

it('what was found late stays while the registrar does not answer, and is kept as before', async () => {
  const { id, name } = await failedOrder();
  test.registrar.executeLate(name);
  await reconcileAnHourLater();
  const found = await findingsOf(name);
  await test.skip(8 * DAY);
  test.registrar.isAway = true;
  await reconcileAnHourLater();
  test.registrar.isAway = false;
  expect(await findingsOf(name)).toEqual(
    expect.arrayContaining(found.map(({ words }) => expect.objectContaining({ words }))),
  );
  await keep(id).expect(200);
});

it('an ended order whose question was not answered is asked about again, also behind the last day', async () => {
  const { id, name } = await failedOrder();
  await test.skip(7 * DAY - 90 * 60);
  test.registrar.executeLate(name);
  test.registrar.isAway = true;
  await reconcileAnHourLater();
  test.registrar.isAway = false;
  expect(await toldOf(id)).toEqual([]);
  await reconcileAnHourLater();
  expect(await toldOf(id)).toMatchObject([{}]);
  expect(await findingsOf(name)).toMatchObject([{ kind: 'unknown_here' }]);
});

describe('a name that was registered late', () => {
  it('is booked by an operator as its customer wants it: paid, registered and known, once', async () => {
    const { id, name } = await failedOrder();
    test.registrar.executeLate(name);
    await reconcileAnHourLater();
    const answers = await Promise.all([keep(id), keep(id)]);
    expect(
      answers.map(({ status, body }) => [status, (body as { changed: boolean }).changed]).sort(),
    ).toEqual([
      [200, false],
      [200, true],
    ]);
    expect(await balance()).toMatchObject({ balanceCents: 10_000 - TOTAL, heldCents: 0 });
    expect(await test.order(id)).toMatchObject({
      state: 'registered',
      expiresAt: new Date('2027-11-27T00:00:00Z'),
    });
    expect(await findingsOf(name)).toEqual([]);
    const receipts = await test.database.query(
      `SELECT kind FROM receipt JOIN ledger_transaction AS booked ON booked.id = transaction_id WHERE source = $1`,
      [`order:${id}`],
    );
    expect(receipts).toEqual([{ kind: 'registration' }]);
    expect(
      await test.database.query(`SELECT reason FROM audit_log WHERE action = 'order.keep' AND subject = $1`, [
        `account:${customer.accountId}`,
      ]),
    ).toEqual([{ reason: REASON }, { reason: REASON }]);
    await reconcileAnHourLater();
    expect(await findingsOf(name)).toEqual([]);
    await callAs(test, customer).post(`/api/v1/registrations/${id}/cancel`).expect(409);
  });

  it('is not booked where the balance is short, and the answer says by how much', async () => {
    const { id, name } = await failedOrder();
    test.registrar.executeLate(name);
    await reconcileAnHourLater();
    await test.database.transaction((transaction) =>
      test.app.get(Ledger).postTo(transaction, {
        ...{ kind: 'credit', source: randomUUID(), words: 'Test', at: new Date() },
        ...{ accountId: customer.accountId, cents: -9_000, against: [{ kind: 'goodwill', cents: 9_000 }] },
      }),
    );
    const { body } = await keep(id).expect(402);
    expect(body).toMatchObject({
      error: { code: 'balance_short', message: expect.stringContaining('top up 1400 cents') },
    });
    expect(await test.order(id)).toMatchObject({ state: 'failed' });
    expect(await findingsOf(name)).toHaveLength(1);
    await credit(test, customer.accountId, 1_400);
    await keep(id).expect(200);
    expect(await balance()).toMatchObject({ balanceCents: 0 });
  });

  it('is not booked once it was cancelled there, nor where nothing was late', async () => {
    const before = await balance();
    await keep(randomUUID()).expect(404);
    const { id, name } = await failedOrder();
    await keep(id).expect(409);
    test.registrar.executeLate(name);
    await reconcileAnHourLater();
    test.registrar.holders.delete(name);
    await reconcileAnHourLater();
    await keep(id).expect(409);
    expect(await balance()).toEqual(before);
  });

  it('as a renewal it is paid, and its name ends later', async () => {
    const { id, name, registered } = await failedRenewal();
    test.registrar.ends.set(name, END);
    await reconcileAnHourLater();
    await keep(id).expect(200);
    expect(await balance()).toMatchObject({ balanceCents: 10_000 - 2 * TOTAL, heldCents: 0 });
    expect(await test.order(id)).toMatchObject({ state: 'registered' });
    expect(await test.order(registered)).toMatchObject({ expiresAt: END });
    await reconcileAnHourLater();
    expect(await findingsOf(name)).toEqual([]);
  });
});
