import { Ledger } from '../../src/orders/ledger/ledger.repository.js';
import { OrderRepository } from '../../src/orders/order/order.repository.js';
import { WorkKinds } from '../../src/work/kind.js';
import type { Queryable } from '../../src/db/database.js';
import { addCustomer, type Customer, order, type OrdersApp, startOrdersApp } from '../support/orders.js';
import { createEngine } from '../support/jobs.js';
import { type Fault, MadeUpRegistrar } from '../support/registrar.js';

// STORM_ORDERS=10000 STORM_KILL_EVERY=50 npm test -- test/orders/storm is the long one.
const ORDERS = Number(process.env.STORM_ORDERS ?? 40);
/** Of the commits of runs, each so many-th is followed by the end of its run. */
const KILL_EVERY = Number(process.env.STORM_KILL_EVERY ?? 7);
const CUSTOMERS = 4;
const CENTS = 2_400;
const MINUTE_MS = 60_000;

const FAULTS: readonly Fault[] = [
  'reply_lost',
  'request_lost',
  'killed_before',
  'killed_after',
  'pending',
  { refused: 'policy' },
  { refused: 'busy' },
];

let apps: OrdersApp[];
let registrar: MadeUpRegistrar;
let commits = 0;
let kills = 0;
/** The same in each run. */
let seed = 20_261_127;
const draw = (most: number) => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
  return (seed >>> 8) % most;
};

beforeAll(async () => {
  registrar = new MadeUpRegistrar();
  const first = await startOrdersApp({}, { registrar });
  const second = await startOrdersApp({ DATABASE_URL: first.databaseUrl }, first);
  apps = [first, second];
  for (const app of apps) killAfterCommits(app);
});
afterAll(async () => {
  for (const app of [...apps].reverse()) await app.close();
});

/** A run ends behind a commit, as by a kill: nothing that it would do next is done. */
function killAfterCommits(app: OrdersApp): void {
  const orders = app.app.get(OrderRepository);
  const move = orders.move.bind(orders) as (...of: never[]) => Promise<unknown>;
  const { database } = app;
  const transaction = database.transaction.bind(database);
  const moving = new WeakSet<Queryable>();
  Object.assign(orders, {
    move: (...of: unknown[]) => {
      moving.add(of[3] as Queryable);
      return move(...(of as never[]));
    },
  });
  Object.assign(database, {
    transaction: async <Result>(work: (on: Queryable, client: never) => Promise<Result>, lockMs?: number) => {
      let hasMoved = false;
      const result = await transaction(async (on, client) => {
        const made = await work(on, client as never);
        hasMoved = moving.has(on);
        return made;
      }, lockMs);
      if (hasMoved && isArmed && (commits += 1) % KILL_EVERY === 0) {
        kills += 1;
        throw new Error('killed behind a commit');
      }
      return result;
    },
  });
}
let isArmed = false;

it(`${ORDERS} orders over two instances, with lost replies and kills, happen once or not at all`, async () => {
  const [app, other] = apps as [OrdersApp, OrdersApp];
  const customers: Customer[] = [];
  for (let made = 0; made < CUSTOMERS; made += 1)
    customers.push(await addCustomer(app, Math.ceil(ORDERS / CUSTOMERS) * CENTS));
  const ids: string[] = [];
  for (let made = 0; made < ORDERS; made += 1) {
    // Every tenth wants the name of the one before.
    const name = `storm-${made % 10 === 9 ? made - 1 : made}.com.au`;
    if (draw(2) === 0) {
      const fault = FAULTS[draw(FAULTS.length)];
      if (fault) registrar.faults.set(name, [fault]);
    }
    if (draw(20) === 0) registrar.holders.set(name, 'somebody');
    ids.push(await order(app, customers[made % CUSTOMERS] as Customer, name));
  }

  isArmed = true;
  const engines = [app, other].map((one) =>
    createEngine(one.database, one.app.get(WorkKinds).get('registration')),
  );
  let now = await app.clock.now();
  const open = async () => {
    const rows = await app.database.query<{ open: number }>(
      `SELECT count(*)::int AS open FROM registration_order
        WHERE state NOT IN ('registered', 'failed', 'lost', 'cancelled')`,
    );
    return rows[0]?.open ?? 0;
  };
  for (let minutes = 0; minutes < 120 && (await open()) > 0;) {
    app.clock.set(now);
    const steps = await Promise.all(engines.map((engine) => engine.step(now)));
    const begun = steps.flatMap((step) => step.begun);
    await Promise.all(begun);
    for (const [name] of registrar.waiting) registrar.decide(name, draw(2) === 0 ? 'done' : 'refused');
    registrar.waiting.clear();
    await app.watch();
    if (begun.length > 0) continue;
    minutes += 1;
    now = new Date(now.getTime() + MINUTE_MS);
  }
  isArmed = false;

  expect(await open()).toBe(0);
  expect(kills).toBeGreaterThan(ORDERS / KILL_EVERY / 2);
  const orders = await Promise.all(ids.map((id) => app.order(id)));
  const ours = orders.filter(({ state }) => state === 'registered').map(({ domain }) => domain);
  // No name twice, and each at the registrar is paid by the order that has it.
  expect(new Set(ours).size).toBe(ours.length);
  const held = [...registrar.holders].filter(([, holder]) => holder !== 'somebody').map(([name]) => name);
  expect([...ours].sort()).toEqual(held.sort());
  const ledger = app.app.get(Ledger);
  expect(await ledger.prove()).toEqual([]);
  for (const [place, { accountId }] of customers.entries()) {
    const paid = orders.filter(
      ({ state }, made) => made % CUSTOMERS === place && state === 'registered',
    ).length;
    const { balanceCents, heldCents } = await ledger.balanceOf(accountId);
    expect([balanceCents, heldCents]).toEqual([(Math.ceil(ORDERS / CUSTOMERS) - paid) * CENTS, 0]);
  }
  expect(Math.max(...registrar.requests.values())).toBeLessThanOrEqual(4);
});
