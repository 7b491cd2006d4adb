import { setTimeout as pause } from 'node:timers/promises';
import type { QueryResultRow } from 'pg';
import { startTestApp } from '../support/app.js';
import { disputeOf, refundOf } from '../support/card-events.js';
import { addInState } from '../support/domains.js';
import { WITH_ORDERS } from '../support/orders.js';
import {
  addStormCustomers,
  ORDER_CENTS,
  StormCaller,
  type StormCustomer,
} from '../support/storm/customers.js';
import { chance, DEATHS, faultIn, faultOfOrder, nameOf } from '../support/storm/faults.js';
import { findingsOf, LEDGER_DIFFERENCES } from '../support/storm/findings.js';
import { startStormWorld, type StormWorld } from '../support/storm/world.js';

// npm run test:storm is the long one (test/orders/storm.mjs).
const ORDERS = Number(process.env.STORM_ORDERS ?? 150);
const KILLS = Number(process.env.STORM_KILLS ?? 6);
/** No order is placed after so many minutes. */
const MINUTES = Number(process.env.STORM_MINUTES ?? Infinity);
const SEED = process.env.STORM_SEED ?? '1';
const CUSTOMERS = Math.min(40, Math.ceil(ORDERS / 25));
/** Orders of one customer under way at once are placed one after the other. */
const CALLERS = Math.min(8, CUSTOMERS);
const TOP_UPS = 10;
/** The events of a payment come within this time. */
const EVENTS_MS = 2_000;
/** Less than what is paid beyond the price of all orders. */
const REFUND_CENTS = 50;
/** Of the kills, every second is of the registrar, in the middle of a creation. */
const DEATH_EVERY = 2;
const POSTGRES_EVERY = 5;
/** Behind these orders nothing is lost for a quarter of an hour any more. */
const EARLY = 0.5;
const PROVE_EVERY_MS = 5_000;
const TELL_EVERY_MS = 60_000;
/** The clock goes to the next work, by no more than this at a time. */
const MAX_STEP_SECONDS = 60;
/** Longer than a lost lease and the next question about an order. */
const STILL_MS = 90_000;
const LOOK_EVERY_MS = 250;
/** From the order of a listed name to what becomes of it. */
const MAX_LISTED_MS = 10_000;
/** Faults that take long take 15 minutes, twice at the most, and the watch of messages another. */
const MAX_MOVED_SECONDS = 3_600;

const GIVEN_BACK = `state = 'registered' AND cancel_asked_at IS NOT NULL`;

jest.setTimeout(300_000 + ORDERS * 1_000);

it(`${ORDERS} orders over two instances and ${KILLS} kills happen once or not at all`, async () => {
  const begunAt = Date.now();
  const world = await startStormWorld();
  const tell = (text: string) =>
    void process.stdout.write(`${Math.round((Date.now() - begunAt) / 1_000)} s: ${text}\n`);
  try {
    tell(`seed ${SEED}, ${ORDERS} orders, ${KILLS} kills, ${CUSTOMERS} customers`);
    const setUp = await startTestApp({ ...WITH_ORDERS, DATABASE_URL: world.databaseUrl });
    const customers = await addStormCustomers(setUp.app, CUSTOMERS);
    const storm = new Storm(world, customers, tell);
    const listed = Array.from({ length: ORDERS }, (_, order) => storm.nameOf(order)).filter((domain) =>
      ['drops', 'stays'].includes(faultIn(domain) ?? ''),
    );
    await addInState(
      setUp.database,
      listed.map((domain) => ({ domain, state: 'listed' as const })),
    );
    await setUp.close();
    await storm.play();
    const { wrong, late, figures } = await findingsOf(world, customers, storm.placed, storm.paidCents);
    tell(JSON.stringify({ kills: world.kills, answers: storm.caller.answers, ...figures }));
    const found = [...world.odd, ...storm.caller.odd, ...storm.odd, ...wrong];
    for (const line of found.slice(0, 50)) tell(`WRONG: ${line}`);
    for (const line of late.slice(0, 50)) tell(`LATE: ${line}`);
    expect(found).toEqual([]);
    // By the wall: for the long one only, on a machine that has time for it.
    if (process.env.STORM_ORDERS) expect(late).toEqual([]);
  } finally {
    await world.close();
  }
});

class Storm {
  readonly caller: StormCaller;
  readonly placed: { id: string; domain: string; accountId: string }[] = [];
  readonly paidCents = new Map<string, number>();
  readonly odd: string[] = [];
  private next = 0;
  private proofs = 0;
  private readonly killing: Promise<void>[] = [];
  private readonly deliveries: Promise<void>[] = [];
  private readonly deeds: Promise<void>[] = [];

  constructor(
    private readonly world: StormWorld,
    private readonly customers: readonly StormCustomer[],
    private readonly tell: (text: string) => void,
  ) {
    this.caller = new StormCaller(world);
  }

  async play(): Promise<void> {
    const clocks = [
      setInterval(() => void this.prove(), PROVE_EVERY_MS),
      setInterval(() => void this.report(), TELL_EVERY_MS),
    ];
    try {
      for (const customer of this.customers) await this.topUp(customer, 0);
      await Promise.all(Array.from({ length: CALLERS }, () => this.place()));
      this.tell(`${this.placed.length} orders are placed`);
      await Promise.all([...this.killing, ...this.deliveries, ...this.deeds]);
      await this.letEnd();
    } finally {
      clocks.forEach(clearInterval);
    }
    await this.prove();
    this.tell(`the ledger was proved ${this.proofs} times`);
  }

  private async place(): Promise<void> {
    const until = performance.now() + MINUTES * 60_000;
    while (this.next < ORDERS && performance.now() < until) {
      const order = this.next;
      this.next += 1;
      const customer = this.customers[order % this.customers.length] as StormCustomer;
      this.disturb(order);
      const domain = this.nameOf(order);
      const id = await this.caller.order(customer, domain);
      this.placed.push({ id, domain, accountId: customer.accountId });
      this.deeds.push(this.goOn(customer, id, domain));
    }
  }

  /** What its customer does with a registered name, and the registry with a listed one. */
  private async goOn(customer: StormCustomer, id: string, domain: string): Promise<void> {
    const { accountId } = customer;
    const deed = faultIn(domain);
    if (deed === 'drops' || deed === 'stays') {
      await pause(chance(`${domain} purged`) * MAX_LISTED_MS);
      const state = deed === 'drops' ? 'purged' : 'rescued';
      await this.ask('UPDATE domain SET state = $2 WHERE domain = $1', [domain, state]);
    }
    if ((deed !== 'renews' && deed !== 'givenback') || !(await this.isRegistered(id))) return;
    if (deed === 'givenback') return this.caller.giveBack(customer, id);
    this.placed.push({ id: await this.caller.renew(customer, id, domain), domain, accountId });
  }

  /** Within a while; whether it is then. */
  private async isRegistered(id: string): Promise<boolean> {
    const until = performance.now() + STILL_MS;
    for (;;) {
      const [row] = await this.ask<{ state: string }>('SELECT state FROM registration_order WHERE id = $1', [
        id,
      ]);
      if (row?.state === 'registered') return true;
      if (performance.now() > until) return false;
      await pause(LOOK_EVERY_MS);
    }
  }

  /** Until PostgreSQL is there. */
  private async ask<Row extends QueryResultRow>(sql: string, values: unknown[]): Promise<Row[]> {
    for (;;) {
      const rows = await this.world.ask<Row>(sql, values).catch(() => null);
      if (rows) return rows;
      await pause(LOOK_EVERY_MS);
    }
  }

  /** Every tenth wants the name of the one before. */
  nameOf(order: number): string {
    const number = order % 10 === 9 ? order - 1 : order;
    const death = Math.floor(number / 2) % Math.max(1, Math.floor(ORDERS / KILLS)) === 0 && number % 2 === 1;
    const kind = DEATHS[Math.floor(chance(`${SEED} death ${number}`) * DEATHS.length)];
    const isEarly = number < ORDERS * EARLY;
    if (death && kind) return nameOf(number, kind === 'diesbefore' && !isEarly ? 'diesduring' : kind);
    return nameOf(number, faultOfOrder(`${SEED} ${number}`, isEarly));
  }

  /** Kills and top-ups belong to orders, so that a seed has them at the same places. */
  private disturb(order: number): void {
    const every = Math.max(1, Math.floor((DEATH_EVERY * ORDERS) / KILLS));
    if (order % every === Math.floor(every / 2)) {
      const kill = Math.floor(order / every);
      const victim = kill % POSTGRES_EVERY === 1 ? 'postgres' : 'instance';
      const late = chance(`${SEED} late ${kill}`) * 500;
      const before = this.killing.at(-1);
      this.killing.push(
        pause(late)
          .then(() => before)
          .then(() => this.world.kill(victim)),
      );
    }
    const round = Math.ceil(ORDERS / TOP_UPS);
    if (order % round === 0 && order > 0)
      for (const customer of this.customers) this.deliveries.push(this.topUp(customer, order / round));
  }

  /** Pays a part of what the orders cost. Its events come several times and in any order. */
  private async topUp(customer: StormCustomer, round: number): Promise<void> {
    const { accountId } = customer;
    const orders = Math.ceil(ORDERS / this.customers.length);
    const cents = Math.max(1_000, Math.ceil((orders * ORDER_CENTS) / (TOP_UPS - 1)));
    const session = await this.caller.topUp(customer, cents);
    const event = this.world.cards.pay(session);
    const later = this.afterPayment(`${accountId} ${round}`, session, cents);
    this.paidCents.set(accountId, (this.paidCents.get(accountId) ?? 0) + cents - later.lostCents);
    const unpaid = { ...event, object: { ...event.object, payment_status: 'unpaid' } };
    const other = { ...event, type: 'checkout.session.async_payment_succeeded' };
    const signed = [unpaid, event, other, event, ...later.events].map((one) => this.world.cards.sign(one));
    const order = [...signed, ...signed.slice(1)]
      .map((one, place) => ({ one, place: chance(`${SEED} ${accountId} ${round} ${place}`) }))
      .sort((one, other) => one.place - other.place);
    await Promise.all(
      order.map(async ({ one, place }, at) => {
        await pause(place * EVENTS_MS);
        await this.caller.deliver(one.body, one.signature, at % 2);
      }),
    );
  }

  /** Some payments are disputed and won, some refunded at the provider, and some refunds fail. */
  private afterPayment(subject: string, session: string, cents: number) {
    const payment = this.world.cards.sessions.get(session)?.payment ?? '';
    const dispute = disputeOf(payment, cents);
    const refund = (what: string) => refundOf(payment, REFUND_CENTS, what, `re_${payment}`);
    switch (Math.floor(chance(`${SEED} ${subject} later`) * 4)) {
      case 0:
        return {
          lostCents: 0,
          events: [
            ...[dispute('created'), dispute('updated', 'under_review'), dispute('funds_withdrawn')],
            ...[dispute('funds_reinstated', 'won'), dispute('closed', 'won')],
          ],
        };
      case 1:
        return { lostCents: REFUND_CENTS, events: [refund('created'), refund('updated')] };
      case 2:
        return { lostCents: 0, events: [refund('created'), refund('failed')] };
      default:
        return { lostCents: 0, events: [] };
    }
  }

  /** Time passes by itself until what the registrar can state is settled, and then from work to work. */
  private async letEnd(): Promise<void> {
    await this.untilNoLonger('fresh');
    this.tell(`${await this.open('all')} orders wait; the clock is moved`);
    for (let moved = 0; moved < MAX_MOVED_SECONDS && (await this.open('all')) > 0;) {
      const step = await this.secondsToNextWork();
      await this.world.moveClock(step);
      await this.untilNoLonger('due');
      moved += step;
    }
  }

  /** Farther, the clock would be late for it by what it moves. */
  private async secondsToNextWork(): Promise<number> {
    const [row] = await this.world.ask<{ seconds: number | null }>(
      `SELECT ceil(extract(epoch FROM min(due_at) - clock_timestamp()))::int AS seconds FROM work
        WHERE kind IN ('registration', 'registrar-watch') AND due_at < 'infinity'`,
    );
    return Math.min(Math.max(row?.seconds ?? MAX_STEP_SECONDS, 1), MAX_STEP_SECONDS);
  }

  /** Or until nothing has changed for a while: what waits for its time does not. */
  private async untilNoLonger(which: 'fresh' | 'due'): Promise<void> {
    let known = Infinity;
    let changedAt = Date.now();
    while (Date.now() - changedAt < STILL_MS) {
      const open = await this.open(which);
      if (open === 0) return;
      if (open !== known) changedAt = Date.now();
      known = open;
      await pause(LOOK_EVERY_MS);
    }
  }

  /**
   * Orders without an end; `due`: with work to do now; `fresh`: without an answer "no such name", unless it is pending,
   * and not behind an order of the same name.
   */
  private async open(which: 'all' | 'due' | 'fresh'): Promise<number> {
    const condition = {
      all: 'true',
      due: `EXISTS (SELECT FROM work WHERE kind IN ('registration', 'registrar-watch') AND due_at <= clock_timestamp()
                      AND (key = one.id::text OR key = ''))`,
      fresh: `state <> 'waiting_for_drop'
              AND NOT EXISTS (SELECT FROM registration_attempt WHERE order_id = one.id AND ended_at IS NULL
                             AND none_answers > 0 AND one.state <> 'pending_registry')
              AND NOT EXISTS (SELECT FROM registration_order AS other
                               WHERE other.domain = one.domain AND other.id <> one.id AND one.state = 'approved'
                                 AND other.state IN ('submitting', 'unknown', 'pending_registry'))`,
    }[which];
    const [row] = await this.world.ask<{ open: number }>(
      `SELECT count(*)::int AS open FROM registration_order AS one
        WHERE (state NOT IN ('registered', 'failed', 'lost', 'cancelled') OR ${GIVEN_BACK}) AND ${condition}`,
    );
    return row?.open ?? 0;
  }

  private async prove(): Promise<void> {
    // PostgreSQL may be away just now.
    const rows = await this.world.ask<{ of: string; cents: string }>(LEDGER_DIFFERENCES).catch(() => null);
    if (rows === null) return;
    this.proofs += 1;
    this.odd.push(...rows.map(({ of, cents }) => `meanwhile: ${of}: ${cents}`));
  }

  private async report(): Promise<void> {
    const states = await this.world
      .ask<{ state: string; orders: number }>(
        'SELECT state, count(*)::int AS orders FROM registration_order GROUP BY 1',
      )
      .catch(() => []);
    const { kills } = this.world;
    const counted = Object.fromEntries(states.map(({ state, orders }) => [state, orders]));
    this.tell(JSON.stringify({ placed: this.placed.length, kills, ...counted, proofs: this.proofs }));
  }
}
