import { randomUUID } from 'node:crypto';
import type { Database } from '../../src/db/database.js';
import type { SandboxAnswer } from '../../src/demo/sandbox-names.js';
import type { SandboxRegistrar } from '../../src/demo/sandbox-registrar.js';
import { Ledger } from '../../src/orders/ledger/ledger.repository.js';
import { AGREEMENTS, agreementName } from '../../src/orders/order/agreements.js';
import { OrderDesk } from '../../src/orders/order/order-desk.js';
import { type Order, OrderRepository } from '../../src/orders/order/order.repository.js';
import { RegistrantRepository } from '../../src/orders/registrants/registrant.repository.js';
import { type Registrant, REGISTRARS } from '../../src/orders/registrar/port.js';
import { registrarsOf } from '../../src/orders/registrars.module.js';
import { type KindName, type WorkCursor, WorkKinds } from '../../src/work/kind.js';
import { WorkLoop } from '../../src/work/work-loop.js';
import { addKey, ORDER_SECRET_KEY, type TestKey, WITH_KEYS } from './accounts.js';
import { type Client, startTestApp, type TestApp } from './app.js';
import { HandedClock } from './clock.js';
import { createEngine } from './jobs.js';
import { MadeUpRegistrar } from './registrar.js';

export const WITH_ORDERS = {
  ...WITH_KEYS,
  ORDERS: 'on',
  ORDER_SECRET_KEY,
};
export const ORDER_SCOPES = ['orders:read', 'orders:quote', 'orders:place'] as const;
export const ACCEPTED = AGREEMENTS.map(agreementName);

export const REGISTRANT: Registrant = {
  ...{ legalName: 'Example Pty Ltd', idType: 'ACN', id: '004085616', eligibilityType: 'Company' },
  contact: {
    ...{ name: 'Mia Example', email: 'mia@example.com', phone: '+61.299990000', street: ['12 Elizabeth St'] },
    ...{ city: 'Hobart', state: 'TAS', postcode: '7000' },
  },
};

/** The application with a registrar of the tests' own, whose work goes on only when it is told to. */
export interface OrdersApp extends TestApp {
  readonly registrar: MadeUpRegistrar;
  readonly clock: HandedClock;
  /** What the registry answers, by name. */
  readonly names: Map<string, SandboxAnswer>;
  /** Lets seconds pass, and does what is due in them, at its moment. */
  pass(seconds: number): Promise<void>;
  /** The same in one step, as if no process ran meanwhile. */
  skip(seconds: number): Promise<void>;
  /** One round of what is due now, as many orders as a process has places for. */
  step(): Promise<void>;
  /** One run of a kind of work. @returns where its next one goes on */
  run(kind: KindName, key?: string, cursor?: WorkCursor | null): Promise<WorkCursor | null>;
  /** The registrar's messages and funds are looked at. */
  watch(): Promise<void>;
  order(id: string): Promise<Order>;
}

export interface Customer extends TestKey {
  readonly registrant: string;
}

/**
 * @param beside another instance: on one database the time is one, or a turn at the registry of one instance is in the
 *   future of the other, which then waits for it in vain
 * @param isOfSettings whether the registrars are those of the settings, instead of the made-up one
 */
export async function startOrdersApp(
  environment: Record<string, string> = {},
  {
    registrar = new MadeUpRegistrar(),
    clock = new HandedClock(new Date()),
  }: Partial<Pick<OrdersApp, 'registrar' | 'clock'>> = {},
  isOfSettings = false,
): Promise<OrdersApp> {
  const names = new Map<string, SandboxAnswer>();
  const test = await startTestApp({ ...WITH_ORDERS, ...environment }, clock, names);
  await test.app.get(WorkLoop).beforeApplicationShutdown();
  if (!isOfSettings) Object.assign(test.app.get<object>(REGISTRARS), registrarsOf([registrar]));
  const kinds = test.app.get(WorkKinds);
  const engine = createEngine(test.database, kinds.get('registration'));
  const pass = async (seconds: number) => {
    const until = new Date((await clock.now()).getTime() + seconds * 1_000);
    for (;;) {
      const now = await clock.now();
      const { begun, nextDue } = await engine.step(now);
      await Promise.all(begun);
      if (begun.length > 0) continue;
      if (now >= until) return;
      clock.set(nextDue && nextDue < until && nextDue > now ? nextDue : until);
    }
  };
  const run = async (kind: KindName, key = '', cursor: WorkCursor | null = null) => {
    const work = { kind, key, cursor, failures: 0, isSlow: false };
    const { signal } = new AbortController();
    return (await kinds.get(kind).run(work, await clock.now(), signal, () => undefined)).cursor ?? null;
  };
  return Object.assign(test, {
    ...{ registrar, clock, names, pass },
    async step() {
      await Promise.all((await engine.step(await clock.now())).begun);
    },
    async skip(seconds: number) {
      clock.set(new Date((await clock.now()).getTime() + seconds * 1_000));
      await pass(0);
    },
    run,
    async watch() {
      await run('registrar-watch');
    },
    async order(id: string) {
      const order = await test.app.get(OrderRepository).find(id);
      if (!order) throw new Error(`there is no order ${id}`);
      return order;
    },
  });
}

/** A customer with money, a key for orders and a registrant. */
export async function addCustomer(test: OrdersApp, cents = 10_000, accountId?: string): Promise<Customer> {
  const key = await addKey(test.database, {
    scopes: ['read', ...ORDER_SCOPES],
    ...(accountId !== undefined && { accountId }),
  });
  const now = await test.clock.now();
  const profile = { id: randomUUID(), registrant: REGISTRANT, createdAt: now, changedAt: now };
  await test.app.get(RegistrantRepository).insert(key.accountId, profile);
  if (cents > 0) await credit(test, key.accountId, cents);
  return { ...key, registrant: profile.id };
}

export async function credit(test: TestApp, accountId: string, cents: number): Promise<void> {
  const ledger = test.app.get(Ledger);
  await test.database.transaction((transaction) =>
    ledger.post(transaction, {
      ...{ kind: 'credit', source: randomUUID(), words: 'Test', at: new Date() },
      entries: [
        { kind: 'customer', accountId, cents },
        { kind: 'goodwill', cents: -cents },
      ],
    }),
  );
}

export const callAs = (test: OrdersApp, { bearer }: Pick<Customer, 'bearer'>): Client =>
  test.caller().set('Authorization', bearer);

export async function quote(test: OrdersApp, customer: Customer, domain: string): Promise<string> {
  const { body } = await callAs(test, customer)
    .post('/api/v1/registrations/quote')
    .send({ domain, years: 1, registrant: customer.registrant })
    .expect(200);
  return (body as { quote: string }).quote;
}

/** A name that the registry calls free, ordered and approved. @returns the id of the order */
export async function order(test: OrdersApp, customer: Customer, domain: string): Promise<string> {
  const id = await placeOrder(test, customer, domain);
  const actor = { accountId: customer.accountId, by: 'session:test', from: null };
  await test.app.get(OrderDesk).approve(id, ACCEPTED, actor);
  return id;
}

/** The same before its approval. */
export async function placeOrder(test: OrdersApp, customer: Customer, domain: string): Promise<string> {
  if (!test.names.has(domain)) test.names.set(domain, 'available');
  const { body } = await callAs(test, customer)
    .post('/api/v1/registrations')
    .set('Idempotency-Key', randomUUID())
    .send({ quote: await quote(test, customer, domain), accept: ACCEPTED })
    .expect(202);
  return (body as { order: { id: string } }).order.id;
}

/** A person of the account cancels an order, or gives its name back. */
export function giveBack(test: OrdersApp, { accountId }: Customer, id: string): Promise<Order> {
  return test.app.get(OrderDesk).cancel(id, accountId);
}

/** A create command that had no effect, executed at last as it was sent. */
export function executeLate(epp: SandboxRegistrar, name: string): void {
  const frame = epp.received.find((one) => one.includes('<create>') && one.includes(name)) ?? '';
  const partOf = (field: string) => new RegExp(`<domain:${field}>([^<]+)<`).exec(frame)?.[1] ?? '';
  epp.registerForeign(name, epp.client);
  const names = epp.names as Map<string, NonNullable<ReturnType<typeof epp.names.get>>>;
  const created = names.get(name);
  if (!created) throw new Error('it is registered');
  names.set(name, { ...created, password: partOf('pw'), registrant: partOf('registrant') });
}

/** A row alone: an order that waits for an approval, and has lapsed. @returns its id */
export async function addOrder(database: Database, accountId: string): Promise<string> {
  const id = randomUUID();
  await database.query(
    `INSERT INTO registration_order
       (id, account_id, idempotency_key, request_hash, domain, years, registrant_id, registrar, total_cents, gst_cents,
        registrar_cents, agreements, is_drop, state, placed_by, placed_at, lapses_at, changed_at)
     VALUES ($1, $2, gen_random_uuid()::text, '', 'ordered.com.au', 1, $1, 'made-up', 2400, 218, 2180, '[]', false, 'awaiting_approval',
             'key:test', '2020-01-01', '2020-01-02', '2020-01-01')`,
    [id, accountId],
  );
  return id;
}

/** Money of an account whose waiting time has just ended. @returns the id of its top-up */
export async function addWaitingTopUp(test: TestApp, accountId: string): Promise<string> {
  const id = randomUUID();
  await credit(test, accountId, 2_000);
  await test.database.query(
    `INSERT INTO top_up (id, account_id, idempotency_key, cents, made_at, ends_at, paid_at, available_at)
     VALUES ($1, $2, 'waiting', 2000, now(), now(), now(), now())`,
    [id, accountId],
  );
  await test.database.transaction((transaction) =>
    test.app.get(Ledger).hold(transaction, { id, accountId, cents: 2_000, at: new Date() }),
  );
  return id;
}
