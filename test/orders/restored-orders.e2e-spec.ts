import { randomUUID } from 'node:crypto';
import { Ledger } from '../../src/orders/ledger/ledger.repository.js';
import { OrderingStops } from '../../src/orders/ledger/ordering-stops.repository.js';
import { newAttempt } from '../../src/orders/registrar/port.js';
import { addInState } from '../support/domains.js';
import {
  addCustomer,
  type Customer,
  order,
  type OrdersApp,
  REGISTRANT,
  startOrdersApp,
} from '../support/orders.js';

const TOTAL = 2_400;
const [MINUTE, HOUR] = [60, 3_600];

let test: OrdersApp;
let customer: Customer;
let made = 0;
const balance = () => test.app.get(Ledger).balanceOf(customer.accountId);

beforeAll(async () => {
  test = await startOrdersApp();
});
beforeEach(async () => {
  customer = await addCustomer(test);
});
afterEach(async () => expect(await test.app.get(Ledger).prove()).toEqual([]));
afterAll(() => test.close());

/** Orders as a backup has them: one waits for its drop, one is approved, and none was sent. */
async function ordersOfBackup(): Promise<{ id: string; name: string }[]> {
  const [dropping, approved] = [`back-${(made += 1)}.com.au`, `back-${(made += 1)}.com.au`];
  await addInState(test.database, [{ domain: dropping, state: 'listed' }]);
  const orders = [];
  for (const name of [dropping, approved]) orders.push({ id: await order(test, customer, name), name });
  expect((await Promise.all(orders.map(({ id }) => test.order(id)))).map(({ state }) => state)).toEqual([
    ...['waiting_for_drop', 'approved'],
  ]);
  return orders;
}

/** What happened to their names after the backup, which is then restored. */
async function restore(orders: { id: string; name: string }[], isOurs: boolean): Promise<void> {
  for (const { id, name } of orders) {
    const wish = { id: randomUUID(), order: id, registrar: 'made-up', name, years: 1 };
    const attempt = newAttempt({ ...wish, registrant: REGISTRANT, policyReason: 1 }, await test.clock.now());
    test.registrar.holders.set(name, isOurs ? attempt : 'somebody');
    test.names.set(name, 'registered');
  }
  await test.database.query(`UPDATE domain SET state = 'purged' WHERE domain = ANY ($1)`, [
    orders.map(({ name }) => name),
  ]);
  await test.database.query(
    `UPDATE ordering_place SET place = 'the place of the backup', written_by = DEFAULT`,
  );
}
const compared = async () =>
  test.app.get(OrderingStops).clear('restored', test.database, await test.clock.now());
const states = (orders: { id: string }[]) =>
  Promise.all(orders.map(async ({ id }) => (await test.order(id)).state));

it('orders that were executed after the backup are neither lost nor lapse, and are settled once it is compared', async () => {
  const orders = await ordersOfBackup();
  await restore(orders, true);
  await test.pass(5 * MINUTE);
  await test.skip(30 * HOUR);
  await test.pass(5 * MINUTE);
  expect(await states(orders)).toEqual(['waiting_for_drop', 'approved']);
  expect(await balance()).toMatchObject({ heldCents: 2 * TOTAL });
  await compared();
  test.registrar.isMute = true;
  await test.pass(5 * MINUTE);
  expect(await states(orders)).toEqual(['waiting_for_drop', 'approved']);
  test.registrar.isMute = false;
  await test.pass(5 * MINUTE);
  expect(await states(orders)).toEqual(['registered', 'registered']);
  for (const { name } of orders) expect(test.registrar.requests.get(name)).toBeUndefined();
  expect(await balance()).toMatchObject({ balanceCents: 10_000 - 2 * TOTAL, heldCents: 0 });
});

it('orders whose names went to another end then, and their money is free', async () => {
  const orders = await ordersOfBackup();
  await restore(orders, false);
  await test.skip(30 * HOUR);
  await test.pass(5 * MINUTE);
  await compared();
  await test.pass(5 * MINUTE);
  expect((await states(orders)).map((state) => ['lost', 'cancelled'].includes(state))).toEqual([true, true]);
  expect(await balance()).toMatchObject({ balanceCents: 10_000, heldCents: 0 });
});

it('an order of later ends without a question to the registrar', async () => {
  await test.skip(HOUR);
  const id = await order(test, customer, `back-${(made += 1)}.com.au`);
  test.registrar.isAway = true;
  await test.skip(25 * HOUR);
  await test.pass(MINUTE);
  test.registrar.isAway = false;
  expect(await test.order(id)).toMatchObject({ state: 'cancelled' });
});
