import { randomUUID } from 'node:crypto';
import { Ledger } from '../../src/orders/ledger/ledger.repository.js';
import { OrderDesk } from '../../src/orders/order/order-desk.js';
import { Renewals } from '../../src/orders/order/renewals.js';
import { OrderRepository } from '../../src/orders/order/order.repository.js';
import {
  ACCEPTED,
  addCustomer,
  callAs,
  type Customer,
  giveBack,
  order,
  type OrdersApp,
  startOrdersApp,
} from '../support/orders.js';

const TOTAL = 2_400;
const [MINUTE, HOUR] = [60, 3_600];
const IN_TIME = new Date('2027-10-29T00:00:00Z');
const END = new Date('2027-11-27T00:00:00Z');
const RENEWED = new Date('2028-11-27T00:00:00Z');

let test: OrdersApp;
let customer: Customer;
let made = 0;
const freeName = () => `told-${(made += 1)}.com.au`;
const balance = () => test.app.get(Ledger).balanceOf(customer.accountId);
const actor = () => ({ accountId: customer.accountId, by: 'session:test', from: null });

beforeAll(async () => {
  test = await startOrdersApp();
});
beforeEach(async () => {
  test.clock.set(new Date('2026-11-27T00:00:00Z'));
  customer = await addCustomer(test);
});
afterEach(async () => expect(await test.app.get(Ledger).prove()).toEqual([]));
afterAll(() => test.close());

async function registeredName(): Promise<{ id: string; name: string }> {
  const name = freeName();
  const id = await order(test, customer, name);
  await test.pass(1);
  expect(await test.order(id)).toMatchObject({ state: 'registered', expiresAt: END });
  return { id, name };
}

/** @returns the id of an order that waits for its approval */
async function placeRenewal(id: string): Promise<string> {
  const quoted = await callAs(test, customer)
    .post(`/api/v1/registrations/${id}/renewal`)
    .send({ years: 1 })
    .expect(200);
  const { body } = await callAs(test, customer)
    .post('/api/v1/registrations')
    .set('Idempotency-Key', randomUUID())
    .send({ quote: (quoted.body as { quote: string }).quote, accept: ACCEPTED })
    .expect(202);
  return (body as { order: { id: string } }).order.id;
}
const approve = (id: string) => test.app.get(OrderDesk).approve(id, ACCEPTED, actor());
async function renew(id: string): Promise<string> {
  const renewing = await placeRenewal(id);
  await approve(renewing);
  return renewing;
}
async function tellAbout(
  id: string,
  outcome: 'done' | 'refused',
  { name }: { readonly name: string },
): Promise<void> {
  const clTRID = (await test.app.get(OrderRepository).readProgress(id))?.reference ?? '';
  test.registrar.messages.push({ id: randomUUID(), name, clTRID, outcome, text: 'decided' });
  await test.watch();
}

describe('the end of a renewed name', () => {
  it.each([
    ['a few days after the old one', '2027-11-30T00:00:00Z', RENEWED],
    ['in the year 9999', '9999-12-31T00:00:00Z', RENEWED],
    ['two years on', '2029-11-27T00:00:00Z', RENEWED],
    ['a day off', '2028-11-28T00:00:00Z', new Date('2028-11-28T00:00:00Z')],
  ])('told %s', async (_, told, expiresAt) => {
    const { id, name } = await registeredName();
    const consented = { accept: ACCEPTED, maxCents: TOTAL };
    await test.app.get(Renewals).setConsent(id, consented, actor());
    test.clock.set(IN_TIME);
    test.registrar.told.set(name, new Date(told));
    for (let day = 0; day < 3; day += 1) {
      await test.run('renewals');
      await test.pass(MINUTE);
      await test.skip(24 * HOUR);
    }
    expect(test.registrar.renewals.filter((one) => one === name)).toHaveLength(1);
    const orders = await test.database.query(
      'SELECT state, expires_at AS "expiresAt" FROM registration_order WHERE renews = $1',
      [id],
    );
    expect(orders).toEqual([{ state: 'registered', expiresAt }]);
    expect(await test.order(id)).toMatchObject({ expiresAt });
    expect(await balance()).toMatchObject({ balanceCents: 10_000 - 2 * TOTAL, heldCents: 0 });
  });

  it('that is later at the registrar already is paid by no order: not before its approval', async () => {
    const { id, name } = await registeredName();
    test.clock.set(IN_TIME);
    const renewing = await placeRenewal(id);
    test.registrar.ends.set(name, RENEWED);
    await expect(approve(renewing)).rejects.toMatchObject({
      ...{ code: 'order_closed', message: expect.stringContaining('until 2028-11-27 already') },
    });
    expect(await test.order(renewing)).toMatchObject({ state: 'cancelled' });
    expect(await balance()).toMatchObject({ balanceCents: 10_000 - TOTAL, heldCents: 0 });
  });

  it.each([null, 'reply_lost', 'request_lost'] as const)(
    'nor between its approval and its sending, with %s',
    async (fault) => {
      const { id, name } = await registeredName();
      test.clock.set(IN_TIME);
      const renewing = await renew(id);
      test.registrar.ends.set(name, RENEWED);
      if (fault) test.registrar.faults.set(name, [fault]);
      await test.pass(20 * MINUTE);
      expect(await test.order(renewing)).toMatchObject({
        ...{ state: 'failed', reason: 'the registrar has the name until a later day already' },
      });
      expect(await test.order(id)).toMatchObject({ expiresAt: END });
      expect(await balance()).toMatchObject({ balanceCents: 10_000 - TOTAL, heldCents: 0 });
      test.registrar.faults.delete(name);
    },
  );

  it('is asked for before the renewal is sent, which waits for the answer', async () => {
    const { id, name } = await registeredName();
    test.clock.set(IN_TIME);
    const renewing = await renew(id);
    test.registrar.isMute = true;
    await test.pass(2 * MINUTE);
    expect(await test.order(renewing)).toMatchObject({ state: 'approved' });
    test.registrar.isMute = false;
    await test.pass(2 * MINUTE);
    expect(await test.order(renewing)).toMatchObject({ state: 'registered', expiresAt: RENEWED });
    expect(test.registrar.renewals.filter((one) => one === name)).toHaveLength(1);
  });

  it('may come long after the message that it was renewed', async () => {
    const { id, name } = await registeredName();
    test.clock.set(IN_TIME);
    const renewing = await renew(id);
    test.registrar.faults.set(name, ['pending']);
    await test.pass(MINUTE);
    expect(await test.order(renewing)).toMatchObject({ state: 'pending_registry' });
    await tellAbout(renewing, 'done', { name });
    await test.pass(40 * MINUTE);
    expect(await test.order(renewing)).toMatchObject({ state: 'pending_registry' });
    test.registrar.ends.set(name, RENEWED);
    await test.pass(2 * MINUTE);
    expect(await test.order(renewing)).toMatchObject({ state: 'registered', expiresAt: RENEWED });
    expect(await balance()).toMatchObject({ balanceCents: 10_000 - 2 * TOTAL, heldCents: 0 });
  });
});

describe('a message about another name', () => {
  it('decides nothing', async () => {
    const name = freeName();
    test.registrar.faults.set(name, ['pending']);
    const id = await order(test, customer, name);
    await test.pass(1);
    await tellAbout(id, 'refused', { name: 'another.com.au' });
    const decided = () =>
      test.database.query('SELECT decided FROM registration_attempt WHERE order_id = $1', [id]);
    expect(await decided()).toEqual([{ decided: null }]);
    await tellAbout(id, 'refused', { name });
    expect(await decided()).toEqual([{ decided: 'refused' }]);
  });
});

describe('the window in which a name is given back', () => {
  it.each([
    ['by the registrar’s day', false],
    ['by our sending, where it tells no day', true],
  ])('begins with the registration, not with the answer: %s', async (_, isWithoutDays) => {
    test.registrar.isWithoutDays = isWithoutDays;
    for (const hours of [10, 60]) {
      test.clock.set(new Date('2026-11-27T00:00:00Z'));
      const name = freeName();
      test.registrar.faults.set(name, ['reply_lost']);
      const id = await order(test, customer, name);
      await test.step();
      test.registrar.isMute = true;
      await test.skip(hours * HOUR);
      test.registrar.isMute = false;
      await test.pass(2 * MINUTE);
      const cancelUntil = hours < 24 ? new Date('2026-11-28T00:00:00Z') : null;
      expect(await test.order(id)).toMatchObject({ state: 'registered', cancelUntil });
      if (!cancelUntil) await expect(giveBack(test, customer, id)).rejects.toMatchObject({ status: 409 });
    }
    test.registrar.isWithoutDays = false;
  });
});
