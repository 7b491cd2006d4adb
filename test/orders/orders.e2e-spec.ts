import { randomUUID } from 'node:crypto';
import { Ledger } from '../../src/orders/ledger/ledger.repository.js';
import { OrderDesk } from '../../src/orders/order/order-desk.js';
import { OrderingStops } from '../../src/orders/ledger/ordering-stops.repository.js';
import { MandateRepository } from '../../src/orders/mandates/mandate.repository.js';
import { SealedRows } from '../../src/orders/order/sealed-rows.repository.js';
import { SUFFIXES } from '../../src/domains/schema/domain.js';
import { addKey } from '../support/accounts.js';
import { RegistryCache } from '../../src/registry/registry-cache.js';
import { addDomain, addInState } from '../support/domains.js';
import {
  ACCEPTED,
  addCustomer,
  addOrder,
  callAs,
  credit,
  type Customer,
  order,
  ORDER_SCOPES,
  type OrdersApp,
  placeOrder,
  quote,
  REGISTRANT,
  startOrdersApp,
} from '../support/orders.js';
import { type ScriptedAvailabilityService, startAvailabilityService } from '../support/registry.js';
import { fieldOf, signedInVisitor } from '../support/visitor.js';

const TOTAL = 2_400;
const SECOND_MS = 1_000;
const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

let test: OrdersApp;
let customer: Customer;
let made = 0;
const freeName = () => `made-${(made += 1)}.com.au`;
const balance = () => test.app.get(Ledger).balanceOf(customer.accountId);
const requests = (name: string) => test.registrar.requests.get(name) ?? 0;

beforeAll(async () => {
  test = await startOrdersApp({ BASE_URL: 'http://bowerbird.test' });
});
beforeEach(async () => {
  customer = await addCustomer(test);
});
afterEach(async () => expect(await test.app.get(Ledger).prove()).toEqual([]));
afterAll(() => test.close());

const place = (body: object, key: string = randomUUID()) =>
  callAs(test, customer).post('/api/v1/registrations').set('Idempotency-Key', key).send(body);
const errorOf = (body: unknown) => (body as { error: { code: string; message: string } }).error;

describe('an order', () => {
  it('is quoted, placed, approved, registered and paid', async () => {
    const name = freeName();
    const id = await order(test, customer, name);
    expect(await balance()).toMatchObject({ balanceCents: 10_000, heldCents: TOTAL });
    await test.pass(1);
    const { body } = await callAs(test, customer).get(`/api/v1/registrations/${id}`).expect(200);
    expect(body).toMatchObject({
      order: {
        state: 'registered',
        total_cents: TOTAL,
        gst_cents: 218,
        expires_at: '2027-11-27T00:00:00.000Z',
      },
    });
    expect(await balance()).toMatchObject({ balanceCents: 10_000 - TOTAL, heldCents: 0 });
    const statement = await callAs(test, customer).get('/api/v1/balance/statement').expect(200);
    expect(statement.body).toMatchObject({
      results: [{ kind: 'registration', words: `${name}, 1 year`, cents: -TOTAL, balance_cents: 7_600 }, {}],
    });
    expect(requests(name)).toBe(1);
  });

  it('that is registered is not called available by an answer that is older', async () => {
    // The turns of the registry are by the clock of the database.
    test.clock.set(new Date(Date.now() + DAY * SECOND_MS));
    const name = freeName();
    await addDomain(test.database, { domain: name });
    const check = async () =>
      (await callAs(test, customer).get(`/api/v1/domains/check?domain=${name}`).expect(200)).body as object;
    const id = await order(test, customer, name);
    expect(await check()).toMatchObject({ available: true });
    await test.pass(1);
    expect(await test.order(id)).toMatchObject({ state: 'registered' });
    // The registry is slower than its registrars, and its answer of a moment before is kept late.
    const kept = { state: 'available', source: 'sandbox', message: null, cached: false } as const;
    const before = new Date((await test.clock.now()).getTime() - 5_000);
    await test.app.get(RegistryCache).keep(name, { ...kept, checkedAt: before, registeredAt: null });
    expect(await check()).toMatchObject({
      available: false,
      registry: { state: 'registered', source: 'registrar' },
    });
  });

  it('is the one that its Idempotency-Key made, for ever', async () => {
    const [name, key] = [freeName(), randomUUID()];
    const body = { quote: await quote(test, customer, name), accept: ACCEPTED };
    const answers = await Promise.all([1, 2, 3].map(() => place(body, key).expect(202)));
    const ids = answers.map(({ body }) => (body as { order: { id: string } }).order.id);
    expect(new Set(ids).size).toBe(1);
    await test.skip(400 * DAY);
    const late = await place(body, key).expect(202);
    expect(late.body).toMatchObject({ order: { id: ids[0], state: 'cancelled' } });
    const other = await place({ ...body, accept: [] }, key).expect(409);
    expect(errorOf(other.body).code).toBe('idempotency_conflict');
  });

  it('is what a replay of its key answers, without its registrant: after an erasure or with a lost key', async () => {
    const key = randomUUID();
    const body = { quote: await quote(test, customer, freeName()), accept: ACCEPTED };
    const first = await place(body, key).expect(202);
    await test.database.query(`UPDATE registrant_profile SET sealed = '\\x00' WHERE account_id = $1`, [
      customer.accountId,
    ]);
    await test.database.query(`UPDATE registration_order SET sealed = NULL WHERE account_id = $1`, [
      customer.accountId,
    ]);
    expect((await place(body, key).expect(202)).body).toEqual(first.body);
    await test.skip(DAY);
    expect((await place(body, key).expect(202)).body).toMatchObject({ order: { state: 'cancelled' } });
  });

  it('is settled by asking when the reply is lost', async () => {
    const name = freeName();
    test.registrar.faults.set(name, ['reply_lost']);
    const id = await order(test, customer, name);
    await test.pass(1);
    expect(await test.order(id)).toMatchObject({ state: 'unknown' });
    expect(await balance()).toMatchObject({ heldCents: TOTAL });
    await test.pass(MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'registered' });
    expect(requests(name)).toBe(1);
  });

  it('is sent once more only after "no such name" at 1, 5 and 15 minutes', async () => {
    const name = freeName();
    test.registrar.faults.set(name, ['request_lost']);
    const id = await order(test, customer, name);
    await test.pass(14 * MINUTE);
    expect([requests(name), (await test.order(id)).state]).toEqual([1, 'unknown']);
    await test.pass(6 * MINUTE);
    expect([requests(name), (await test.order(id)).state]).toEqual([2, 'registered']);
  });

  it('is sent once more as soon as the registrar is not busy', async () => {
    const name = freeName();
    test.registrar.faults.set(name, ['request_lost', { refused: 'busy' }, { refused: 'busy' }]);
    const id = await order(test, customer, name);
    await test.pass(17 * MINUTE);
    expect([requests(name), (await test.order(id)).state]).toEqual([4, 'registered']);
  });

  it('is not sent once more while ordering is stopped', async () => {
    const name = freeName();
    test.registrar.faults.set(name, ['request_lost']);
    const id = await order(test, customer, name);
    await test.pass(MINUTE);
    const stops = test.app.get(OrderingStops);
    await stops.stop('restored', 'a test', new Date());
    await test.pass(30 * MINUTE);
    expect([requests(name), (await test.order(id)).state]).toEqual([1, 'unknown']);
    await stops.clear('restored');
    await test.pass(2 * MINUTE);
    expect([requests(name), (await test.order(id)).state]).toEqual([2, 'registered']);
  });

  it.each([
    ['lost', ['request_lost', 'request_lost']],
    ['lost with its process', ['killed_before', 'request_lost']],
    ['lost, and then with its process', ['request_lost', 'killed_before']],
  ] as const)('fails, and gives the money back, 18 minutes after it was %s twice', async (_, faults) => {
    const name = freeName();
    test.registrar.faults.set(name, [...faults]);
    const id = await order(test, customer, name);
    await test.pass(17 * MINUTE);
    expect([requests(name), (await test.order(id)).state]).toEqual([2, 'unknown']);
    await test.pass(3 * MINUTE);
    const { state, placedAt, settledAt } = await test.order(id);
    expect([requests(name), state]).toEqual([2, 'failed']);
    const minutes = ((settledAt?.getTime() ?? 0) - placedAt.getTime()) / 60_000;
    expect(minutes).toBeGreaterThanOrEqual(18);
    expect(minutes).toBeLessThan(20);
    expect(await balance()).toMatchObject({ balanceCents: 10_000, heldCents: 0 });
  });

  it('ends with others in 20 minutes, though all of them were lost twice', async () => {
    const ids: string[] = [];
    for (let made = 0; made < 12; made += 1) {
      const rich = await addCustomer(test);
      const name = freeName();
      test.registrar.faults.set(name, ['request_lost', 'request_lost']);
      ids.push(await order(test, rich, name));
    }
    await test.pass(20 * MINUTE);
    const states = await Promise.all(ids.map(async (id) => (await test.order(id)).state));
    expect(new Set(states)).toEqual(new Set(['failed']));
  });

  it.each(['killed_before', 'killed_after'] as const)('happens once when the run is %s', async (fault) => {
    const name = freeName();
    test.registrar.faults.set(name, [fault]);
    const id = await order(test, customer, name);
    await test.pass(1);
    expect(await test.order(id)).toMatchObject({ state: 'submitting' });
    await test.pass(20 * MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'registered' });
    expect(requests(name)).toBe(fault === 'killed_before' ? 2 : 1);
    expect(await balance()).toMatchObject({ balanceCents: 10_000 - TOTAL, heldCents: 0 });
  });

  it('waits while the registrar is away, and is settled within a minute of its return', async () => {
    const name = freeName();
    test.registrar.faults.set(name, ['reply_lost']);
    const id = await order(test, customer, name);
    await test.pass(1);
    test.registrar.isAway = true;
    await test.pass(2 * MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'unknown' });
    await test.skip(DAY);
    expect(await test.order(id)).toMatchObject({ state: 'needs_operator' });
    test.registrar.isAway = false;
    await test.pass(MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'registered' });
  });

  it.each(['done', 'refused'] as const)('that is pending ends by a message: %s', async (outcome) => {
    const name = freeName();
    test.registrar.faults.set(name, ['pending']);
    const id = await order(test, customer, name);
    await test.pass(5 * MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'pending_registry' });
    test.registrar.decide(name, outcome);
    await test.watch();
    await test.pass(0);
    expect(await test.order(id)).toMatchObject({ state: outcome === 'done' ? 'registered' : 'failed' });
    expect(await balance()).toMatchObject({ heldCents: 0 });
  });

  it('that is pending ends in 20 minutes once its name is free, without a message', async () => {
    const name = freeName();
    test.registrar.faults.set(name, ['pending']);
    const id = await order(test, customer, name);
    // The registry shows nothing of it, and gives it to nobody else.
    await test.pass(30 * MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'pending_registry' });
    test.registrar.waiting.delete(name);
    const passWithLostAnswers = async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        test.registrar.isAway = minute % 2 === 0;
        await test.pass(MINUTE);
      }
    };
    await passWithLostAnswers(10);
    expect(await test.order(id)).toMatchObject({ state: 'pending_registry' });
    await passWithLostAnswers(10);
    test.registrar.isAway = false;
    expect(await test.order(id)).toMatchObject({ state: 'failed' });
    expect(await balance()).toMatchObject({ heldCents: 0 });
  });

  it('whose message says that it is done does not fail while the registry shows nothing of it', async () => {
    const name = freeName();
    test.registrar.faults.set(name, ['pending']);
    const id = await order(test, customer, name);
    await test.pass(1);
    const attempt = test.registrar.waiting.get(name);
    test.registrar.decide(name, 'done');
    test.registrar.holders.delete(name);
    await test.watch();
    await test.pass(30 * MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'pending_registry' });
    if (attempt) test.registrar.holders.set(name, attempt);
    await test.pass(MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'registered' });
  });

  it('that is pending since the release before is not ended by what that release counted', async () => {
    const name = freeName();
    test.registrar.faults.set(name, ['pending']);
    const id = await order(test, customer, name);
    await test.pass(1);
    await test.database.query('UPDATE registration_attempt SET none_answers = 9 WHERE order_id = $1', [id]);
    test.registrar.waiting.delete(name);
    await test.pass(10 * MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'pending_registry' });
    await test.pass(10 * MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'failed' });
  });

  it('that is pending without its reply does not fail while the registry gives its name to nobody', async () => {
    const name = freeName();
    test.registrar.faults.set(name, ['request_lost', { refused: 'taken' }]);
    const id = await order(test, customer, name);
    await test.pass(1);
    const attempt = test.registrar.unheard.get(name);
    if (attempt) test.registrar.waiting.set(name, attempt);
    await test.pass(40 * MINUTE);
    expect([requests(name), (await test.order(id)).state]).toEqual([2, 'pending_registry']);
    test.registrar.decide(name, 'done');
    await test.watch();
    await test.pass(0);
    expect(await test.order(id)).toMatchObject({ state: 'registered' });
  });

  it('is not sent once more after its approval has lapsed, and ends though ordering is stopped', async () => {
    const name = freeName();
    test.registrar.faults.set(name, ['request_lost']);
    const id = await order(test, customer, name);
    await test.pass(1);
    const stops = test.app.get(OrderingStops);
    await stops.stop('operator', 'a test', new Date());
    await test.skip(DAY);
    await test.pass(20 * MINUTE);
    await stops.clear('operator');
    expect([requests(name), (await test.order(id)).state]).toEqual([1, 'failed']);
    expect(await balance()).toMatchObject({ balanceCents: 10_000, heldCents: 0 });
  });

  it('whose reply was lost ends by the message that the registry refused it, and is not sent again', async () => {
    const name = freeName();
    test.registrar.faults.set(name, ['request_lost']);
    const id = await order(test, customer, name);
    await test.pass(1);
    const { clTRID = null } = test.registrar.unheard.get(name) ?? {};
    test.registrar.messages.push({ id: name, name, clTRID, outcome: 'refused', text: 'decided' });
    await test.watch();
    await test.pass(0);
    expect([requests(name), (await test.order(id)).state]).toEqual([1, 'failed']);
  });

  it('is sent once more after an outage only when three answers, apart in time, were "no such name"', async () => {
    const name = freeName();
    test.registrar.faults.set(name, ['request_lost']);
    const id = await order(test, customer, name);
    await test.pass(1);
    test.registrar.isAway = true;
    await test.pass(60 * MINUTE);
    test.registrar.isAway = false;
    await test.pass(13 * MINUTE);
    expect([requests(name), (await test.order(id)).state]).toEqual([1, 'unknown']);
    await test.pass(3 * MINUTE);
    expect([requests(name), (await test.order(id)).state]).toEqual([2, 'registered']);
  });

  it('that waits for an operator ends 20 minutes after the return of a registrar without the name', async () => {
    const name = freeName();
    test.registrar.faults.set(name, ['request_lost']);
    const id = await order(test, customer, name);
    await test.pass(1);
    test.registrar.isAway = true;
    await test.skip(DAY + MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'needs_operator' });
    test.registrar.isAway = false;
    await test.pass(10 * MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'needs_operator' });
    await test.pass(10 * MINUTE);
    expect([requests(name), (await test.order(id)).state]).toEqual([1, 'failed']);
    expect(await balance()).toMatchObject({ balanceCents: 10_000, heldCents: 0 });
  });

  it('that is pending for a day waits for an operator, and ends by its message all the same', async () => {
    const name = freeName();
    test.registrar.faults.set(name, ['pending']);
    const id = await order(test, customer, name);
    await test.pass(5 * MINUTE);
    await test.skip(DAY);
    expect(await test.order(id)).toMatchObject({ state: 'needs_operator' });
    test.registrar.decide(name, 'done');
    await test.watch();
    await test.pass(MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'registered' });
  });

  it('whose name another has is lost, and the money is back', async () => {
    const name = freeName();
    const id = await order(test, customer, name);
    test.registrar.holders.set(name, 'somebody');
    await test.pass(1);
    expect(await test.order(id)).toMatchObject({ state: 'lost' });
    expect(await balance()).toMatchObject({ balanceCents: 10_000, heldCents: 0 });
  });

  it('waits behind the first approved one for its name, and is lost when that gets it', async () => {
    const name = freeName();
    const other = await addCustomer(test);
    test.registrar.faults.set(name, ['reply_lost']);
    const first = await order(test, customer, name);
    test.clock.set(new Date((await test.clock.now()).getTime() + 1));
    const second = await order(test, other, name);
    await test.pass(1);
    expect([(await test.order(first)).state, (await test.order(second)).state]).toEqual([
      'unknown',
      'approved',
    ]);
    await test.pass(MINUTE);
    expect([(await test.order(first)).state, (await test.order(second)).state]).toEqual([
      'registered',
      'lost',
    ]);
    expect(await test.app.get(Ledger).balanceOf(other.accountId)).toMatchObject({ freeCents: 10_000 });
    expect(requests(name)).toBe(1);
  });

  it('that failed lets the next one for its name go on', async () => {
    const name = freeName();
    const other = await addCustomer(test);
    test.registrar.faults.set(name, [{ refused: 'policy' }]);
    const first = await order(test, customer, name);
    test.clock.set(new Date((await test.clock.now()).getTime() + 1));
    const second = await order(test, other, name);
    await test.pass(1);
    expect([(await test.order(first)).state, (await test.order(second)).state]).toEqual([
      'failed',
      'registered',
    ]);
  });

  it('of a frozen account lets others go first, and has its place by its approval once it is thawed', async () => {
    const [name, later] = [freeName(), freeName()];
    const other = await addCustomer(test);
    const payment = randomUUID();
    const freeze = () =>
      test.database.query(
        `WITH paid AS (INSERT INTO card_payment (id, seen_at) VALUES ($1, now()) RETURNING id)
         INSERT INTO card_dispute (id, payment, account_id, cents, status, opened_at)
         SELECT $1, id, $2, 5000, 'needs_response', now() FROM paid`,
        [payment, customer.accountId],
      );
    const thaw = () =>
      test.database.query('UPDATE card_dispute SET cleared_at = now() WHERE id = $1', [payment]);
    const states = (ids: string[]) => Promise.all(ids.map(async (id) => (await test.order(id)).state));
    const both = async (domain: string) => {
      const first = await order(test, customer, domain);
      test.clock.set(new Date((await test.clock.now()).getTime() + 1));
      return [first, await order(test, other, domain)];
    };
    const overtaken = await both(name);
    await freeze();
    await test.pass(2 * MINUTE);
    expect(await states(overtaken)).toEqual(['lost', 'registered']);
    await thaw();
    // Frozen and thawed while no order begins.
    const kept = await both(later);
    const stops = test.app.get(OrderingStops);
    await stops.stop('operator', 'a test', new Date());
    await test.database.query('UPDATE card_dispute SET cleared_at = NULL WHERE id = $1', [payment]);
    await test.pass(2 * MINUTE);
    await thaw();
    await stops.clear('operator');
    await test.pass(2 * MINUTE);
    expect(await states(kept)).toEqual(['registered', 'lost']);
  });

  it('waits, with all others, until the account at the registrar has funds again', async () => {
    const name = freeName();
    test.registrar.faults.set(name, [{ refused: 'funds' }]);
    test.registrar.cents = 0;
    const id = await order(test, customer, name);
    await test.pass(5 * MINUTE);
    expect([(await test.order(id)).state, requests(name)]).toEqual(['approved', 1]);
    const refused = await place({ quote: 'x', accept: [] });
    expect(refused.status).toBe(400);
    const stopped = await callAs(test, customer)
      .post('/api/v1/registrations/quote')
      .send({ domain: freeName(), years: 1, registrant: customer.registrant })
      .expect(503);
    expect(errorOf(stopped.body).code).toBe('ordering_stopped');
    await test.watch();
    await test.pass(2 * MINUTE);
    expect(requests(name)).toBe(1);
    test.registrar.cents = 1_000_000;
    await test.watch();
    await test.pass(2 * MINUTE);
    expect([(await test.order(id)).state, requests(name)]).toEqual(['registered', 2]);
  });

  it('lapses after a day in which ordering was stopped', async () => {
    const id = await order(test, customer, freeName());
    await test.app.get(OrderingStops).stop('operator', 'a test', new Date());
    await test.skip(DAY - 1);
    expect(await test.order(id)).toMatchObject({ state: 'approved' });
    await test.pass(1);
    expect(await test.order(id)).toMatchObject({ state: 'cancelled', reason: 'its approval lapsed' });
    await test.app.get(OrderingStops).clear('operator');
    expect(await balance()).toMatchObject({ heldCents: 0 });
  });

  it('lapses after a day without an approval, and one for a drop a day after the purge', async () => {
    const now = (await test.clock.now()).getTime();
    const domain = freeName();
    await addInState(test.database, [{ domain, state: 'listed' }]);
    const purgeAt = new Date(now + 3 * DAY * SECOND_MS);
    await test.database.query('UPDATE domain SET purge_at = $2 WHERE domain = $1', [domain, purgeAt]);
    const [asked, drop] = [await placeOrder(test, customer, freeName()), await order(test, customer, domain)];
    await test.skip(DAY - 1);
    expect(await test.order(asked)).toMatchObject({ state: 'awaiting_approval' });
    await test.pass(1);
    expect(await test.order(asked)).toMatchObject({ state: 'cancelled', reason: 'its approval lapsed' });
    await test.skip(3 * DAY - 1);
    expect(await test.order(drop)).toMatchObject({ state: 'waiting_for_drop' });
    expect(await balance()).toMatchObject({ heldCents: TOTAL });
    await test.pass(1);
    expect(await test.order(drop)).toMatchObject({ state: 'cancelled', reason: 'its approval lapsed' });
    expect(await balance()).toMatchObject({ heldCents: 0 });
  });

  it('lapses a day after the purge of a drop that a later list has moved', async () => {
    const now = (await test.clock.now()).getTime();
    const domain = freeName();
    await addInState(test.database, [{ domain, state: 'listed' }]);
    const purgeAfter = (days: number) =>
      test.database.query('UPDATE domain SET purge_at = $2 WHERE domain = $1', [
        ...[domain, new Date(now + days * DAY * SECOND_MS)],
      ]);
    await purgeAfter(1);
    const id = await order(test, customer, domain);
    await purgeAfter(4);
    await test.skip(2 * DAY - 1);
    await test.pass(1);
    expect(await test.order(id)).toMatchObject({
      ...{ state: 'waiting_for_drop', lapsesAt: new Date(now + 5 * DAY * SECOND_MS) },
    });
    expect(await balance()).toMatchObject({ heldCents: TOTAL });
    await test.skip(3 * DAY - 1);
    expect(await test.order(id)).toMatchObject({ state: 'waiting_for_drop' });
    await test.pass(1);
    expect(await test.order(id)).toMatchObject({ state: 'cancelled', reason: 'its approval lapsed' });
    expect(await balance()).toMatchObject({ heldCents: 0 });
  });

  it('whose name the registrar has for us, perhaps for another order, waits for an operator', async () => {
    const name = freeName();
    test.registrar.faults.set(name, ['reply_lost']);
    const id = await order(test, customer, name);
    test.registrar.unproven.add(name);
    await test.pass(MINUTE);
    expect(await test.order(id)).toMatchObject({
      ...{ state: 'needs_operator', reason: expect.stringContaining('contact and password') },
    });
    expect(await balance()).toMatchObject({ heldCents: TOTAL });
    await test.pass(20 * MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'needs_operator' });
    test.registrar.unproven.delete(name);
    await test.pass(MINUTE);
    expect(await test.order(id)).toMatchObject({ state: 'registered' });
  });

  it('that is undecided has its turn behind no queue of new ones', async () => {
    const lost = freeName();
    test.registrar.faults.set(lost, ['reply_lost']);
    const undecided = await order(test, customer, lost);
    await test.pass(1);
    for (let count = 0; count < 12; count += 1) {
      const rich = await addCustomer(test);
      await order(test, rich, freeName());
    }
    test.clock.set(new Date((await test.clock.now()).getTime() + MINUTE * SECOND_MS));
    await test.step();
    expect((await test.order(undecided)).state).toBe('registered');
  });

  it('that is undecided is settled with ORDERS=off, where none begins and there is no door', async () => {
    const lost = freeName();
    test.registrar.faults.set(lost, ['reply_lost']);
    const undecided = await order(test, customer, lost);
    await test.pass(1);
    expect(await test.order(undecided)).toMatchObject({ state: 'unknown' });
    const waiting = await order(test, customer, freeName());
    const off = await startOrdersApp({ DATABASE_URL: test.databaseUrl, ORDERS: 'off' }, test);
    try {
      await off.pass(MINUTE);
      await callAs(off, customer).get('/api/v1/registrations').expect(404);
      await callAs(off, customer).post('/api/v1/registrations/quote').send({}).expect(404);
    } finally {
      await off.close();
    }
    const states = async () => [(await test.order(undecided)).state, (await test.order(waiting)).state];
    expect(await states()).toEqual(['registered', 'approved']);
    expect(requests(lost)).toBe(1);
    // Back on, it goes on.
    await test.skip(2 * MINUTE);
    expect(await states()).toEqual(['registered', 'registered']);
  });

  it('is cancelled before it is sent, and not after', async () => {
    const [early, late] = [await order(test, customer, freeName()), await order(test, customer, freeName())];
    const cancel = (id: string) => callAs(test, customer).post(`/api/v1/registrations/${id}/cancel`);
    expect((await cancel(early).expect(200)).body).toMatchObject({ order: { state: 'cancelled' } });
    await test.pass(1);
    // Until then its registrar takes it back.
    await test.skip(DAY);
    expect(errorOf((await cancel(late).expect(409)).body).code).toBe('order_closed');
    expect(await test.order(late)).toMatchObject({ state: 'registered' });
    const stranger = await addCustomer(test);
    await callAs(test, stranger).post(`/api/v1/registrations/${late}/cancel`).expect(404);
  });

  it('is cancelled by the program that placed it, and by another one until a person has approved it', async () => {
    const other = await addCustomer(test, 0, customer.accountId);
    const cancel = (id: string, who = customer) =>
      callAs(test, who).post(`/api/v1/registrations/${id}/cancel`);
    await cancel(await placeOrder(test, customer, freeName()), other).expect(200);
    const domain = freeName();
    await addInState(test.database, [{ domain, state: 'listed' }]);
    const ids = [await order(test, customer, freeName()), await order(test, customer, domain)];
    for (const id of ids) {
      const { body } = await cancel(id, other).expect(403);
      expect(errorOf(body)).toMatchObject({
        code: 'mandate_required',
        message: expect.stringContaining(`/profile/orders/${id}`),
      });
    }
    expect(await balance()).toMatchObject({ heldCents: 2 * TOTAL });
    for (const id of ids) await cancel(id).expect(200);
    expect(await balance()).toMatchObject({ heldCents: 0 });
  });

  it('waits for the drop of a listed name, and is sent after the purge', async () => {
    const [caught, kept] = [freeName(), freeName()];
    await addInState(
      test.database,
      [caught, kept].map((domain) => ({ domain, state: 'listed' as const })),
    );
    const ids = [await order(test, customer, caught), await order(test, customer, kept)];
    await test.pass(MINUTE);
    for (const id of ids) expect(await test.order(id)).toMatchObject({ state: 'waiting_for_drop' });
    await test.database.query(`UPDATE domain SET state = 'purged' WHERE domain = $1`, [caught]);
    await test.database.query(`UPDATE domain SET state = 'rescued' WHERE domain = $1`, [kept]);
    await test.pass(2 * MINUTE);
    const states = await Promise.all(ids.map(async (id) => (await test.order(id)).state));
    expect(states).toEqual(['registered', 'lost']);
  });

  it('for a drop ends as soon as the list has the name no more and the registry calls it registered', async () => {
    const now = (await test.clock.now()).getTime();
    const [kept, held, silent] = [freeName(), freeName(), freeName()];
    const names = [kept, held, silent];
    await addInState(
      test.database,
      names.map((domain) => ({ domain, state: 'listed' as const })),
    );
    await test.database.query('UPDATE domain SET purge_at = $2 WHERE domain = ANY ($1)', [
      ...[names, new Date(now + 3 * DAY * SECOND_MS)],
    ]);
    const ids: string[] = [];
    for (const name of names) ids.push(await order(test, customer, name));
    const states = () => Promise.all(ids.map(async (id) => (await test.order(id)).state));
    test.names.set(kept, 'registered').set(held, 'available').set(silent, 'html');
    // As listed names they are registered, and wait.
    await test.pass(MINUTE);
    expect(await states()).toEqual(Array(3).fill('waiting_for_drop'));
    await test.database.query(`UPDATE domain SET state = 'delisted' WHERE domain = ANY ($1)`, [names]);
    await test.pass(2 * MINUTE);
    expect(await states()).toEqual(['lost', 'waiting_for_drop', 'waiting_for_drop']);
    expect(await balance()).toMatchObject({ heldCents: 2 * TOTAL });
    test.names.set(silent, 'registered');
    await test.pass(60 * MINUTE);
    expect(await states()).toEqual(['lost', 'waiting_for_drop', 'lost']);
    // Taken off its list by mistake: it drops all the same.
    await test.skip(3 * DAY - 60 * MINUTE);
    await test.pass(MINUTE);
    expect(await states()).toEqual(['lost', 'registered', 'lost']);
    expect(await balance()).toMatchObject({ balanceCents: 10_000 - TOTAL, heldCents: 0 });
  });
});

it('a seller without GST, who gets none back, passes the GST of the registrar on', async () => {
  const untaxed = await startOrdersApp({ ORDER_GST_PERCENT: '0', ORDER_FEE_CENTS: '200' });
  try {
    const buyer = await addCustomer(untaxed);
    const { body } = await callAs(untaxed, buyer)
      .post('/api/v1/registrations/quote')
      .send({ domain: freeName(), years: 1, registrant: buyer.registrant })
      .expect(200);
    expect(body).toMatchObject({ total_cents: 2_180 + 200, gst_cents: 0 });
  } finally {
    await untaxed.close();
  }
});

describe('an order for a drop, where the registry has a second service', () => {
  let line = 'Not Available\r\n';
  let second: ScriptedAvailabilityService;
  let two: OrdersApp;

  beforeAll(async () => {
    second = await startAvailabilityService((socket) => socket.end(line));
    two = await startOrdersApp({ REGISTRY_AVAILABILITY_SERVICE: second.address });
  });
  afterAll(async () => {
    await two.close();
    await second.close();
  });

  it.each(['purged', 'delisted', 'available'] as const)(
    'is not lost by its "Not Available" alone: %s',
    async (state) => {
      const now = await two.clock.now();
      const domain = freeName();
      await addInState(two.database, [{ domain, state: 'listed' }]);
      const purgeAt = new Date(now.getTime() + (state === 'delisted' ? MINUTE * SECOND_MS : 0));
      await two.database.query('UPDATE domain SET purge_at = $2 WHERE domain = $1', [domain, purgeAt]);
      const id = await order(two, await addCustomer(two), domain);
      two.names.set(domain, 'forbidden');
      line = 'Not Available\r\n';
      await two.database.query(
        `UPDATE domain SET state = $2, available = $2 = 'available', confirmed_by = 'sandbox', checked_at = $3,
                dropped_at = $3 WHERE domain = $1`,
        [domain, state, now],
      );
      const asked = second.received.length;
      await two.pass(2 * MINUTE);
      expect(second.received.length).toBeGreaterThan(asked);
      expect(await two.order(id)).toMatchObject({ state: 'waiting_for_drop' });
      two.names.set(domain, 'available');
      line = 'Available\r\n';
      await two.pass(10 * MINUTE);
      expect(await two.order(id)).toMatchObject({ state: 'registered' });
    },
  );
});

describe('a refusal says what to change and holds nothing', () => {
  afterEach(async () => expect(await balance()).toMatchObject({ heldCents: 0 }));

  it('402 with the cents that are missing', async () => {
    const poor = await addCustomer(test, 1_000);
    const body = { quote: await quote(test, poor, freeName()), accept: ACCEPTED };
    const answer = await callAs(test, poor)
      .post('/api/v1/registrations')
      .set('Idempotency-Key', 'k')
      .send(body)
      .expect(402);
    expect(errorOf(answer.body).message).toContain('top up 1400 cents');
  });

  it('409 price_changed with a quote of the new price', async () => {
    const name = freeName();
    test.names.set(name, 'available');
    const old = await quote(test, customer, name);
    const { price } = test.registrar;
    test.registrar.price = { cents: 2_290, gstCents: 208 };
    const moved = await place({ quote: old, accept: ACCEPTED }).expect(409);
    expect(errorOf(moved.body)).toMatchObject({ code: 'price_changed' });
    const token = String(moved.headers['registration-quote']);
    expect((moved.body as { quote: object }).quote).toMatchObject({
      ...{ domain: name, years: 1, total_cents: 2_510, gst_cents: 228, quote: token, is_drop: false },
    });
    const placed = await place({ quote: token, accept: ACCEPTED }).expect(202);
    expect(placed.body).toMatchObject({ order: { total_cents: 2_510, state: 'awaiting_approval' } });
    test.registrar.price = price;
    const { id } = (placed.body as { order: { id: string } }).order;
    const approval = { accountId: customer.accountId, by: 'session:test', from: null };
    await expect(test.app.get(OrderDesk).approve(id, ACCEPTED, approval)).rejects.toMatchObject({
      code: 'price_changed',
    });
    expect(await test.order(id)).toMatchObject({ state: 'cancelled' });
  });

  describe('at the approval', () => {
    const actor = () => ({ accountId: customer.accountId, by: 'session:test', from: null });
    const approve = (id: string) => test.app.get(OrderDesk).approve(id, ACCEPTED, actor());
    const read = async (id: string) =>
      (
        (await callAs(test, customer).get(`/api/v1/registrations/${id}`).expect(200)).body as {
          order: { state: string; reason: string | null };
        }
      ).order;

    it('ends an order whose name was taken, or whose registrant may not have it', async () => {
      const [taken, barred] = [freeName(), freeName()];
      const ids = [
        await placeOrder(test, customer, taken),
        await placeOrder(test, customer, barred),
      ] as const;
      test.names.set(taken, 'registered');
      const holder = { registrant: { ...REGISTRANT, id: '004085617' }, policyReason: 1 };
      await test.database.query('UPDATE registration_order SET sealed = $2 WHERE id = $1', [
        ids[1],
        test.app.get(SealedRows).seal(holder, ids[1]),
      ]);
      await expect(approve(ids[0])).rejects.toMatchObject({ code: 'name_not_available' });
      await expect(approve(ids[1])).rejects.toMatchObject({ code: 'not_eligible' });
      expect(await read(ids[0])).toMatchObject({
        ...{
          state: 'cancelled',
          reason: expect.stringContaining(`not confirm that ${taken} is free. It is registered.`),
        },
      });
      expect(await read(ids[1])).toMatchObject({
        ...{ state: 'cancelled', reason: expect.stringContaining('wrong check digit') },
      });
      for (const id of ids) await expect(approve(id)).rejects.toMatchObject({ code: 'order_closed' });
    });

    it('leaves one that money, the registrar or a stop keeps waiting, to be approved afterwards', async () => {
      const stops = test.app.get(OrderingStops);
      const id = await placeOrder(test, customer, freeName());
      test.registrar.isAway = true;
      await expect(approve(id)).rejects.toMatchObject({ code: 'registrar_unavailable' });
      test.registrar.isAway = false;
      await stops.stop('operator', 'a test', new Date());
      await expect(approve(id)).rejects.toMatchObject({ code: 'ordering_stopped' });
      await stops.clear('operator');
      await test.database.transaction((transaction) =>
        test.app.get(Ledger).post(transaction, {
          ...{ kind: 'credit', source: randomUUID(), words: 'Test', at: new Date() },
          entries: [
            { kind: 'customer', accountId: customer.accountId, cents: -9_000 },
            { kind: 'goodwill', cents: 9_000 },
          ],
        }),
      );
      await expect(approve(id)).rejects.toMatchObject({
        ...{ code: 'balance_short', message: expect.stringContaining('top up 1400 cents') },
      });
      expect(await read(id)).toMatchObject({ state: 'awaiting_approval', reason: null });
      await credit(test, customer.accountId, 1_400);
      expect(await approve(id)).toMatchObject({ state: 'approved' });
      await callAs(test, customer).post(`/api/v1/registrations/${id}/cancel`).expect(200);
    });
  });

  it('409 limit_reached while 200 orders of the account wait for approval', async () => {
    const busy = await addCustomer(test);
    const waiting = await Promise.all(
      Array.from({ length: 199 }, () => addOrder(test.database, busy.accountId)),
    );
    const wish = async (key: string) =>
      callAs(test, busy)
        .post('/api/v1/registrations')
        .set('Idempotency-Key', key)
        .send({ quote: await quote(test, busy, freeName()), accept: ACCEPTED });
    expect((await wish('the-200th')).status).toBe(202);
    const refused = await wish('one-more');
    expect([refused.status, errorOf(refused.body).code]).toEqual([409, 'limit_reached']);
    expect(errorOf(refused.body).message).toContain('cancel some first');
    await callAs(test, busy)
      .post(`/api/v1/registrations/${waiting[0] ?? ''}/cancel`)
      .expect(200);
    expect((await wish('one-more')).status).toBe(202);
  });

  it('orders of programs that wait keep no person from ordering', async () => {
    const busy = await addCustomer(test);
    await Promise.all(Array.from({ length: 200 }, () => addOrder(test.database, busy.accountId)));
    const actor = { accountId: busy.accountId, by: 'session:test', from: null };
    const name = freeName();
    test.names.set(name, 'available');
    const token = await quote(test, busy, name);
    const ordered = await test.app.get(OrderDesk).order(token, ACCEPTED, 'page:by-a-person', actor, []);
    expect(ordered.state).toBe('approved');
  });

  it('403 for a test key, which spends nothing of its account', async () => {
    const { accountId, registrant } = customer;
    const scopes = ['read', ...ORDER_SCOPES] as const;
    const trial = {
      ...(await addKey(test.database, { kind: 'test', scopes: [...scopes], accountId })),
      registrant,
    };
    const body = { quote: await quote(test, trial, freeName()), accept: ACCEPTED };
    const refused = await callAs(test, trial)
      .post('/api/v1/registrations')
      .set('Idempotency-Key', 'by-a-test-key')
      .send(body)
      .expect(403);
    expect(errorOf(refused.body)).toMatchObject({
      ...{ code: 'scope_required', message: expect.stringContaining('make a live key at /profile/api-keys') },
    });
    const { keys } = await test.app.get(MandateRepository).listPrograms(accountId);
    expect(keys.map(({ id }) => id)).not.toContain(trial.id);
  });

  it('409 quote_expired after 15 minutes', async () => {
    const body = { quote: await quote(test, customer, freeName()), accept: ACCEPTED };
    await test.pass(15 * MINUTE);
    expect(errorOf((await place(body).expect(409)).body).code).toBe('quote_expired');
  });

  it('409 for a name that the registry calls registered, when it is approved', async () => {
    const name = freeName();
    test.names.set(name, 'registered');
    await expect(order(test, customer, name)).rejects.toMatchObject({ code: 'name_not_available' });
  });

  it('422 with the rule for a registrant that may not have it', async () => {
    const answer = await callAs(test, customer)
      .post('/api/v1/registrations/quote')
      .send({ domain: 'example-company.id.au', years: 1, registrant: customer.registrant })
      .expect(422);
    const { code, message } = errorOf(answer.body);
    expect(code).toBe('not_eligible');
    expect(message).toMatch(/^id\.au is for natural persons; .+ \(https.+, \d{4}-\d\d-\d\d\)$/);
  });

  it('422 for a term that is not sold, with those that are: at the quote and at the approval', async () => {
    const name = freeName();
    test.names.set(name, 'available');
    const askFor = (years: number) =>
      callAs(test, customer)
        .post('/api/v1/registrations/quote')
        .send({ domain: name, years, registrant: customer.registrant });
    const { quote: token } = (await askFor(2).expect(200)).body as { quote: string };
    const placed = await place({ quote: token, accept: ACCEPTED }).expect(202);
    const { id } = (placed.body as { order: { id: string } }).order;
    const registered = await order(test, customer, freeName());
    await test.pass(1);
    test.registrar.years = [1, 3];
    try {
      const words = 'years must be one of 1, 3: .com.au is not sold here for 2';
      expect(errorOf((await askFor(2).expect(422)).body)).toMatchObject({
        code: 'not_orderable',
        message: words,
      });
      await askFor(3).expect(200);
      expect(errorOf((await place({ quote: token, accept: ACCEPTED }).expect(422)).body).message).toBe(words);
      const actor = { accountId: customer.accountId, by: 'session:test', from: null };
      const approving = test.app.get(OrderDesk).approve(id, ACCEPTED, actor);
      await expect(approving).rejects.toMatchObject({ code: 'not_orderable' });
      expect(await test.order(id)).toMatchObject({ state: 'cancelled' });
      await test.database.query(`UPDATE registration_order SET expires_at = $2 WHERE id = $1`, [
        ...[registered, new Date((await test.clock.now()).getTime() + 60 * DAY * SECOND_MS)],
      ]);
      const renewal = (years: number) =>
        callAs(test, customer).post(`/api/v1/registrations/${registered}/renewal`).send({ years });
      expect(errorOf((await renewal(2).expect(422)).body).message).toBe(words);
      await renewal(1).expect(200);
      expect(await balance()).toMatchObject({ heldCents: 0 });
      test.registrar.suffixes = ['au'];
      expect(errorOf((await askFor(1).expect(422)).body).message).toContain(
        'No registrar here takes .com.au;',
      );
    } finally {
      Object.assign(test.registrar, { years: [1, 2, 3, 4, 5], suffixes: SUFFIXES });
    }
  });

  it('503 when the registrar is away', async () => {
    test.registrar.isAway = true;
    const answer = await callAs(test, customer)
      .post('/api/v1/registrations/quote')
      .send({ domain: freeName(), years: 1, registrant: customer.registrant })
      .expect(503);
    test.registrar.isAway = false;
    expect(errorOf(answer.body).code).toBe('registrar_unavailable');
  });

  it('400 for what is missing, foreign or altered', async () => {
    const token = await quote(test, customer, freeName());
    const stranger = await addCustomer(test);
    const refusals = [
      place({ quote: token, accept: [] }),
      place({ quote: token, accept: [...ACCEPTED, 'more:1'] }),
      place({ quote: `x${token}`, accept: ACCEPTED }),
      place({ quote: token, accept: ACCEPTED }, ' '),
      callAs(test, stranger)
        .post('/api/v1/registrations')
        .set('Idempotency-Key', 'k')
        .send({ quote: token, accept: ACCEPTED }),
    ];
    for (const refusal of refusals)
      expect(errorOf((await refusal.expect(400)).body).code).toBe('invalid_parameter');
  });

  it('403 for a key without the scope, which no key has unless it was asked for', async () => {
    const { bearer } = await addKey(test.database);
    const get = (path: string) => test.caller().get(path).set('Authorization', bearer).expect(403);
    for (const path of ['registrations', `registrations/${randomUUID()}`, 'balance', 'balance/statement'])
      expect(errorOf((await get(`/api/v1/${path}`)).body).code).toBe('scope_required');
  });
});

describe('/profile/orders', () => {
  const setProof = (email: string, proof: string) =>
    test.database.query(
      `UPDATE account_session SET proven_at = ${proof} WHERE account_id = (SELECT id FROM account WHERE email = $1)`,
      [email],
    );

  it('is where a person accepts the agreements and approves an order, or cancels it', async () => {
    const visitor = await signedInVisitor(test);
    const [row] = await test.database.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [
      visitor.email,
    ]);
    customer = await addCustomer(test, 10_000, row?.id);
    await setProof(visitor.email, 'now()');
    const id = await placeOrder(test, customer, freeName());
    const other = await placeOrder(test, customer, freeName());
    const { text } = await visitor.open('/profile/orders').expect(200);
    expect(text).toContain('A$\u00a0100.00');
    expect(text).toContain(`/profile/orders/${id}`);
    const page = (await visitor.open(`/profile/orders/${id}`).expect(200)).text;
    expect(page).toContain('Approve for A$\u00a024.00');
    const terms = fieldOf(page, 'terms');

    const path = `/profile/orders/${id}/approve`;
    const refused = await visitor.send(path, { accept: ACCEPTED.slice(1), terms }).expect(400);
    expect(refused.text).toContain('accept lacks');
    expect(await balance()).toMatchObject({ heldCents: 0 });
    await visitor.send(path, { accept: ACCEPTED, terms }).expect(303);
    expect(await balance()).toMatchObject({ heldCents: TOTAL });
    await visitor.send(`/profile/orders/${other}/cancel`, {}).expect(303);
    await test.pass(1);
    expect((await visitor.open(`/profile/orders/${id}`).expect(200)).text).toContain('Registered until');
    const statement = await visitor.open('/profile/statement.csv').expect(200);
    expect(statement.text).toMatch(/,registration,.*,-2400,7600,\d+\n/);
    const kept = await test.database.query(
      `SELECT approved_by LIKE 'session:%' AS by, jsonb_array_length(accepted) AS accepted
         FROM registration_order WHERE id = $1`,
      [id],
    );
    expect(kept).toEqual([{ by: true, accepted: 4 }]);
  });

  it('says what happened to a name that another has while it was being given back', async () => {
    const visitor = await signedInVisitor(test);
    const [row] = await test.database.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [
      visitor.email,
    ]);
    customer = await addCustomer(test, 10_000, row?.id);
    const name = freeName();
    const id = await order(test, customer, name);
    await test.pass(1);
    test.registrar.holders.set(name, 'somebody');
    await visitor.send(`/profile/orders/${id}/cancel`, {}).expect(303);
    await test.pass(MINUTE);
    const { text } = await visitor.open(`/profile/orders/${id}`).expect(200);
    expect(text).toContain(`${name} was being given back`);
    expect(text).toContain('decides about your money');
    expect(text).not.toContain('Set aside');
  });

  it('sends a session without a fresh proof to confirm itself first', async () => {
    const visitor = await signedInVisitor(test);
    await setProof(visitor.email, 'NULL');
    const answer = await visitor.send(`/profile/orders/${randomUUID()}/approve`, {
      accept: ACCEPTED,
      terms: '0'.repeat(64),
    });
    expect([answer.status, answer.headers.location]).toEqual([303, '/sign-in/confirm']);
  });
});
