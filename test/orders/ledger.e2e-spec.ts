import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { type Booking, Ledger } from '../../src/orders/ledger/ledger.repository.js';
import { readConfig } from '../../src/config/read-config.js';
import { messageOf } from '../../src/validation/unknown-values.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { runs } from '../support/runs.js';

let test: TestDatabase;
let ledger: Ledger;
beforeAll(async () => {
  test = await createTestDatabase();
  ledger = new Ledger(test.database, readConfig({ DATABASE_URL: test.url }));
});
afterEach(async () => expect(await ledger.prove()).toEqual([]));
afterAll(() => test.close());

const AT = new Date('2026-11-27T00:00:00Z');
/** Where no money is left for it, the booking is refused before its hold is looked at. */
const ENDED = /has ended already|"ledger_account_check"/;

function topUp(accountId: string, cents: number, source: string = randomUUID()): Booking {
  return {
    ...{ kind: 'top_up', source, words: 'Card', at: AT },
    entries: [
      { kind: 'customer', accountId, cents },
      { kind: 'card_clearing', cents: -cents },
    ],
  };
}

function sale(accountId: string, cents: number, source: string = randomUUID()): Booking {
  const gst = Math.round(cents / 11);
  return {
    ...{ kind: 'registration', source, words: 'sold.com.au', at: AT },
    entries: [
      { kind: 'customer', accountId, cents: -cents },
      { kind: 'revenue', cents: cents - gst },
      { kind: 'gst_payable', cents: gst },
    ],
  };
}

const post = (booking: Booking) =>
  test.database.transaction((transaction) => ledger.post(transaction, booking));
const hold = (accountId: string, cents: number, id: string = randomUUID()) =>
  test.database.transaction(
    async (transaction) => cents <= (await ledger.hold(transaction, { id, accountId, cents, at: AT })),
  );
const release = (id: string) =>
  test.database.transaction((transaction) => ledger.release(transaction, id, AT));
const capture = (id: string, booking: Booking) =>
  test.database.transaction((transaction) => ledger.capture(transaction, id, booking));
const refusal = async (sql: string) => {
  const error: unknown = await test.database.query(sql).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error === null ? 'done' : messageOf(error);
};

describe('the ledger', () => {
  it('books a source once, also when it is told many times at once', async () => {
    const account = randomUUID();
    const booking = topUp(account, 2_000, 'stripe:pi_1');
    const booked = await Promise.all(Array.from({ length: 8 }, () => post(booking)));
    expect(booked.filter(Boolean)).toHaveLength(1);
    expect(await ledger.balanceOf(account)).toEqual({
      ...{ balanceCents: 2_000, heldCents: 0, freeCents: 2_000, owedCents: 0 },
    });
  });

  it('accepts, of 40 simultaneous holds, exactly those that fit', async () => {
    const account = randomUUID();
    await post(topUp(account, 2_000));
    // As many at once as there are connections: others would wait for one.
    const holders = Array.from({ length: 5 }, async () => {
      const held: boolean[] = [];
      while (held.length < 8) held.push(await hold(account, 100));
      return held;
    });
    const held = (await Promise.all(holders)).flat();
    expect(held.filter(Boolean)).toHaveLength(20);
    expect(await ledger.balanceOf(account)).toMatchObject({ heldCents: 2_000, freeCents: 0 });
  });

  it('ends a hold once, whoever is first', async () => {
    const [account, id] = [randomUUID(), randomUUID()];
    await post(topUp(account, 500));
    await hold(account, 300, id);
    const ends = await Promise.allSettled([
      capture(id, sale(account, 300, `order:${id}`)),
      capture(id, sale(account, 300, `order:${id}`)),
      release(id),
      release(id),
    ]);
    const done = ends.filter((end) => end.status === 'fulfilled' && end.value !== false);
    expect(done).toHaveLength(1);
    const { balanceCents, heldCents } = await ledger.balanceOf(account);
    expect([balanceCents === 500 || balanceCents === 200, heldCents]).toEqual([true, 0]);
  });

  it('refuses a commit that does not sum to zero, or has one side only', async () => {
    const [account, id] = [randomUUID(), randomUUID()];
    const { entries, ...booking } = topUp(account, 100, id);
    await expect(post({ ...booking, entries: [...entries, { kind: 'revenue', cents: 1 }] })).rejects.toThrow(
      'sum to 1 cents',
    );
    await expect(post({ ...booking, entries: [] })).rejects.toThrow('0 entries');
    expect(await post({ ...booking, entries })).toBe(true);
  });

  it('never lets a customer below zero, nor below what is held', async () => {
    const account = randomUUID();
    await post(topUp(account, 500));
    await hold(account, 300);
    await expect(post(sale(account, 201))).rejects.toThrow('ledger_account_check');
    await post(sale(account, 200));
    expect(await ledger.balanceOf(account)).toMatchObject({ balanceCents: 300, freeCents: 0 });
  });

  it.each([
    'UPDATE ledger_entry SET cents = cents + 1',
    'DELETE FROM ledger_entry',
    'TRUNCATE ledger_entry CASCADE',
    `UPDATE ledger_transaction SET words = ''`,
    'DELETE FROM ledger_transaction',
    'TRUNCATE ledger_transaction CASCADE',
    'UPDATE ledger_account SET balance_cents = balance_cents + 1',
    'DELETE FROM ledger_account',
    'TRUNCATE ledger_account CASCADE',
    `INSERT INTO ledger_account (kind, balance_cents) VALUES ('suspense', 5)`,
    'DELETE FROM ledger_hold',
    'TRUNCATE ledger_hold',
    'UPDATE ledger_hold SET cents = cents + 1',
    `UPDATE ledger_hold SET state = 'released', ended_at = now() WHERE state = 'captured'`,
    `INSERT INTO ledger_hold (id, ledger_account_id, cents, state, held_at, ended_at)
     SELECT gen_random_uuid(), min(id), 1, 'captured', now(), now() FROM ledger_account`,
  ])('refuses %s', async (sql) => {
    const [account, id] = [randomUUID(), randomUUID()];
    await post(topUp(account, 100));
    await hold(account, 100, id);
    await capture(id, sale(account, 100));
    expect(await refusal(sql)).toMatch(/is refused: the ledger is append-only|a hold (?:ends once|begins)/);
  });

  it('shows an account its own statement, page by page', async () => {
    const account = randomUUID();
    for (const cents of [100, 200, 300]) await post(topUp(account, cents));
    await post(topUp(randomUUID(), 400));
    const newest = await ledger.statement(account, null, 2);
    expect(newest.map(({ cents, balanceCents }) => [cents, balanceCents])).toEqual([
      [300, 600],
      [200, 300],
    ]);
    const older = await ledger.statement(account, newest.at(-1)?.id ?? null, 2);
    expect(older.map(({ cents }) => cents)).toEqual([100]);
  });

  it('shows on a statement what became debt, and what paid it', async () => {
    const accountId = randomUUID();
    await post(topUp(accountId, 100));
    for (const [place, cents] of [-250, -50, 200, 300].entries())
      await test.database.transaction((transaction) =>
        ledger.postTo(transaction, {
          ...{ kind: 'top_up', source: randomUUID(), words: `${place}`, at: AT, accountId, cents },
          against: [{ kind: 'card_clearing', cents: -cents }],
        }),
      );
    const rows = await ledger.statement(accountId, null, 10);
    expect(rows.map(({ cents, balanceCents, receipt }) => [cents, balanceCents, receipt !== null])).toEqual([
      ...[
        [300, 300, true],
        [200, 0, true],
        [-50, -200, true],
        [-250, -150, true],
        [100, 100, true],
      ],
    ]);
    const [last] = await ledger.statement(accountId, rows.at(1)?.id ?? null, 1);
    expect(last).toEqual(rows[2]);
  });
});

describe('any sequence of changes', () => {
  const cents = fc.integer({ min: 1, max: 500 });
  const customer = fc.nat({ max: 1 });
  const change = fc.oneof(
    fc.record({ is: fc.constant('top up' as const), customer, cents, source: fc.nat({ max: 5 }) }),
    fc.record({ is: fc.constant('hold' as const), customer, cents }),
    fc.record({ is: fc.constantFrom('capture' as const, 'release' as const), place: fc.nat({ max: 5 }) }),
  );

  it('leaves the balances of a plain model', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 25 }), async (changes) => {
        const accounts = [randomUUID(), randomUUID()];
        const model = accounts.map(() => ({ balance: 0, held: 0 }));
        const holds: { id: string; customer: number; cents: number; isActive: boolean }[] = [];
        const sources = new Set<number>();
        for (const step of changes) {
          if (step.is === 'top up') {
            const [account = '', state] = [accounts[step.customer], model[step.customer]];
            const isNew = !sources.has(step.source);
            expect(await post(topUp(account, step.cents, `${accounts[0]}:${step.source}`))).toBe(isNew);
            if (isNew && state) state.balance += step.cents;
            sources.add(step.source);
          } else if (step.is === 'hold') {
            const [account = '', state] = [accounts[step.customer], model[step.customer]];
            const fits = state !== undefined && state.balance - state.held >= step.cents;
            const id = randomUUID();
            expect(await hold(account, step.cents, id)).toBe(fits);
            if (fits) {
              state.held += step.cents;
              holds.push({ id, customer: step.customer, cents: step.cents, isActive: true });
            }
          } else {
            const held = holds[step.place];
            const state = model[held?.customer ?? 0];
            if (!held || !state) continue;
            const account = accounts[held.customer] ?? '';
            if (step.is === 'release') expect(await release(held.id)).toBe(held.isActive);
            else if (held.isActive) await capture(held.id, sale(account, held.cents));
            else await expect(capture(held.id, sale(account, held.cents))).rejects.toThrow(ENDED);
            if (!held.isActive) continue;
            held.isActive = false;
            state.held -= held.cents;
            if (step.is === 'capture') state.balance -= held.cents;
          }
        }
        for (const [place, account] of accounts.entries())
          expect(await ledger.balanceOf(account)).toMatchObject({
            balanceCents: model[place]?.balance,
            heldCents: model[place]?.held,
          });
      }),
      { numRuns: runs(15) },
    );
  });
});
