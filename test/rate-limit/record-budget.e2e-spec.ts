import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { ChargeBudgetAtOnce1766000050000 } from '../../migrations/1766000050000-charge-budget-at-once.js';
import { CreateBulkChecks1766000141000 } from '../../migrations/1766000141000-create-bulk-checks.js';
import type { Caller } from '../../src/access/caller.js';
import { createDataSource } from '../../src/db/data-source.js';
import { Database } from '../../src/db/database.js';
import { DatabaseUnavailable } from '../../src/errors/database-failure.js';
import { ApiError } from '../../src/errors/api-error.js';
import { BudgetHolds, type Hold } from '../../src/access/budget-holds.js';
import { BudgetClock } from '../../src/access/budget-store.js';
import { BudgetRepository } from '../../src/access/budget.repository.js';
import { NetworkRepository } from '../../src/access/network.repository.js';
import { NetworkRules, Takers } from '../../src/access/network-rules.js';
import { NetworkShares } from '../../src/access/network-shares.js';
import { RecordBudget, SpentBudgets } from '../../src/access/record-budget.js';
import type { Config } from '../../src/config/config.js';
import { SharedCounters } from '../../src/redis/redis.module.js';
import { TIERS } from '../../src/config/tiers.js';
import { withinMinute } from '../support/clock.js';
import { startCutOff } from '../support/proxy.js';
import { countWaiting, createTestDatabase, type TestDatabase } from '../support/database.js';
import { until } from '../support/processes.js';
import { runs } from '../support/runs.js';

const DEMO = TIERS.demo;

/** Stands still unless it is told to go on. */
class TestClock extends BudgetClock {
  override at = new Date('2026-11-20T10:00:30Z');

  override elapsedMs(): number {
    return this.at.getTime();
  }

  set(time: string): void {
    this.at = new Date(time);
  }

  pass(ms: number): void {
    this.at = new Date(this.at.getTime() + ms);
  }
}

let test: TestDatabase;
let clock: TestClock;
let budgets: RecordBudget[];
let callers = 0;

let holds: BudgetHolds[] = [];
const newBudget = (database = test.database, time: BudgetClock = clock) => {
  const store = new BudgetRepository(database, time);
  const held = new BudgetHolds(store, time);
  holds.push(held);
  const repository = new NetworkRepository(test.database);
  const mode = { networks: { mode: 'on' } } as Config;
  const networks = new NetworkShares(mode, new SharedCounters(null), new NetworkRules(repository));
  return new RecordBudget(store, held, new SpentBudgets(time), networks, new Takers(repository));
};
/** Charges what was sent, as an instance does within 250 ms. */
const flush = () => Promise.all(holds.map((held) => held.flush()));

beforeAll(async () => {
  Logger.overrideLogger(false);
  test = await createTestDatabase();
});
afterAll(() => test.close());
afterEach(async () => {
  await flush();
  holds = [];
});
beforeEach(() => {
  clock = new TestClock();
  budgets = [newBudget(), newBudget()];
});

const newCaller = (tier = DEMO): Caller => ({ tier, id: `ip:test-${++callers}` });
const budget = (instance = 0): RecordBudget => {
  const found = budgets[instance];
  if (!found) throw new Error('two instances are enough');
  return found;
};
const granted = async (work: Promise<{ granted: number }>): Promise<number> => {
  try {
    return (await work).granted;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'budget_exhausted') return 0;
    throw error;
  }
};
/** Records granted; 0 when the budget refused. */
const charge = (caller: Caller, records: number, instance = 0) =>
  granted(budget(instance).charge(caller, records));
const reserve = (caller: Caller, records: number, instance = 0) =>
  granted(
    budget(instance)
      .reserve(caller, records, async (reserved) => reserved)
      .then(({ result }) => ({ granted: result })),
  );
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

describe('work that is charged when it is done', () => {
  it('is granted what is left when more was found, then nothing, and is told when to return', async () => {
    const caller = newCaller();
    expect(await charge(caller, 3)).toBe(3);
    expect(await budget().charge(caller, 50)).toMatchObject({
      granted: 2,
      left: { rate: { limit_per_min: 5, remaining: 0, reset_in: 30 } },
    });
    await expect(budget().charge(caller, 1)).rejects.toMatchObject({
      code: 'budget_exhausted',
      headers: { 'Retry-After': '30' },
      left: { rate: { remaining: 0 } },
    });
  });

  it('that found nothing costs nothing, and is answered also when nothing is left', async () => {
    const caller = newCaller();
    await charge(caller, 5);
    expect(await budget().charge(caller, 0)).toMatchObject({ granted: 0, left: { rate: { remaining: 0 } } });
  });

  it('is charged in the window in which it is done', async () => {
    const caller = newCaller();
    await charge(caller, 5);
    clock.set('2026-11-20T10:01:03Z');
    expect((await budget().charge(caller, 4)).left.rate).toMatchObject({ remaining: 1, reset_in: 57 });
  });
});

describe('work that reserves first', () => {
  it('is charged for what was reserved', async () => {
    const caller = newCaller();
    const { left } = await budget().reserve(caller, 2, async (reserved) => {
      expect(reserved).toBe(2);
      expect((await budget(1).read(caller)).rate.remaining).toBe(3);
    });
    expect(left.rate).toMatchObject({ remaining: 3 });
    expect((await budget(1).read(caller)).rate.remaining).toBe(3);
  });

  it('costs nothing when it fails, and the failure says what is left', async () => {
    const caller = newCaller();
    const failing = budget().reserve(caller, 4, () =>
      Promise.reject(new ApiError('registry_unavailable', 'away')),
    );
    await expect(failing).rejects.toMatchObject({
      code: 'registry_unavailable',
      left: { rate: { remaining: 5 } },
    });
    expect(await charge(caller, 50)).toBe(5);
  });

  it('costs the network nothing either when it fails, nor what it did not use', async () => {
    let address = 0;
    const neighbour = (): Caller => ({ tier: DEMO, id: `ip:203.0.113.${++address}` });
    const away = () => Promise.reject(new ApiError('registry_unavailable', 'away'));
    // One network of 16 budgets.
    for (let attempt = 0; attempt < 20; attempt += 1)
      await expect(budget().reserve(neighbour(), 5, away)).rejects.toMatchObject({
        code: 'registry_unavailable',
      });
    for (let attempt = 0; attempt < 20; attempt += 1)
      await budget().reserveSome(neighbour(), 5, async () => ({ result: null, used: 1 }));
    for (let attempt = 0; attempt < 12; attempt += 1) expect(await charge(neighbour(), 5)).toBe(5);
    await expect(charge(neighbour(), 5)).rejects.toMatchObject({ code: 'too_many_requests' });
  });

  it('is not begun when nothing is left', async () => {
    const caller = newCaller();
    await charge(caller, 5);
    const work = jest.fn();
    await expect(budget().reserve(caller, 1, work)).rejects.toBeInstanceOf(ApiError);
    expect(work).not.toHaveBeenCalled();
  });

  it('keeps others from its records for the moment, and they are told so', async () => {
    const caller = newCaller();
    await budget().reserve(caller, 50, async () => {
      await expect(budget(1).charge(caller, 1)).rejects.toMatchObject({
        message: expect.stringContaining('is reserved by requests under way; try again in a second'),
        headers: { 'Retry-After': '1' },
      });
      // It may yet come back, so nobody is refused without asking.
      budget(1).assertLeft(caller);
    });
    await flush();
    await expect(budget(1).charge(caller, 1)).rejects.toMatchObject({ headers: { 'Retry-After': '30' } });
  });

  it('that is done in another minute is charged there, and has its records there', async () => {
    const caller = newCaller();
    const { left } = await budget().reserve(caller, 3, async () => {
      clock.set('2026-11-20T10:01:03Z');
      expect(await charge(caller, 50)).toBe(2);
    });
    expect(left.rate).toMatchObject({ remaining: 0, reset_in: 57 });
  });

  it('and never ends, because its process was killed, costs nothing after a minute', async () => {
    const caller = newCaller({ ...TIERS.member, quota: { period: 'hour', records: 10 } });
    const killed = new Promise<never>(() => undefined);
    void budget().reserve(caller, 4, () => killed);
    void budget().reserve(caller, 3, () => killed);
    const left = async () => (await budget(1).read(caller)).rate.remaining;
    while ((await left()) > 3) await new Promise(setImmediate);
    // Nothing of that instance is heard again.
    budgets = [newBudget(), newBudget()];
    clock.pass(59_999);
    expect(await left()).toBe(3);
    clock.pass(1);
    expect(await left()).toBe(10);
    expect(await Promise.all([charge(caller, 4), charge(caller, 4, 1)]).then(sum)).toBe(8);
    // Given back once, by whoever reserves next.
    expect(await Promise.all([reserve(caller, 1), reserve(caller, 1, 1)]).then(sum)).toBe(2);
    await Promise.all(holds.slice(-2).map((held) => held.flush()));
    const rows = await test.database.query('SELECT reservations FROM record_budget WHERE caller = $1', [
      caller.id,
    ]);
    expect(rows).toEqual([{ reservations: {} }]);
    expect(await left()).toBe(0);
    clock.set('2026-11-20T11:00:00Z');
    expect(await left()).toBe(10);
  });

  it('and was begun by the last release keeps its records until its reservation ends', async () => {
    const caller = newCaller({ ...TIERS.member, quota: { period: 'hour', records: 10 } });
    // As version 1.0.0 writes it: records, those charged of them, and the end.
    await test.database.query(
      `INSERT INTO record_budget (caller, period, minute_start, minute_used, period_start, period_used, granted,
                                  reservations)
       VALUES ($1, 'hour', '2026-11-20T10:00:00Z', 2, '2026-11-20T10:00:00Z', 3, 0,
               '{"a-bulk-check": [4, 1, "2026-11-20T10:01:00+00:00"]}')`,
      [caller.id],
    );
    const left = async () => (await budget().read(caller)).rate.remaining;
    expect(await left()).toBe(10 - 3 - (4 - 1));
    expect(await charge(caller, 2)).toBe(2);
    await flush();
    expect(await left()).toBe(10 - 5 - (4 - 1));
    clock.pass(30_000);
    expect(await left()).toBe(10 - 5);
  });

  it('and outlasts its reservation is charged all the same', async () => {
    const caller = newCaller({ ...TIERS.member, quota: { period: 'hour', records: 10 } });
    const { left } = await budget().reserve(caller, 4, async () => {
      clock.pass(60_000);
      expect(await charge(caller, 3, 1)).toBe(3);
    });
    expect(left.rate.remaining).toBe(3);
  });
});

describe('a reservation that outlasts its request', () => {
  const hold = async (caller: Caller, records: number) =>
    new BudgetRepository(test.database, clock).reserve(caller, records, 600);
  const draw = (caller: Caller, id: string, total: number, isLast = false) =>
    new BudgetRepository(test.database, clock).draw(caller, id, total, isLast ? 0 : 1_000);
  const left = async (caller: Caller) => (await budget(1).read(caller)).rate.remaining;

  it('is charged bit by bit, and once for what is told twice', async () => {
    const caller = newCaller(TIERS.starter);
    const { id } = await hold(caller, 10);
    for (const total of [3, 3, 2, 7, 7]) await draw(caller, id, total);
    expect(await new BudgetRepository(test.database, clock).read(caller)).toMatchObject({
      ...{ minuteUsed: 7, periodUsed: 7, reserved: 3 },
    });
    expect(await left(caller)).toBe(110);
  });

  it('gives back the rest at its end, and is charged nothing behind it', async () => {
    const caller = newCaller();
    const { id } = await hold(caller, 5);
    await draw(caller, id, 2, true);
    expect(await left(caller)).toBe(3);
    for (const isLast of [false, true]) await draw(caller, id, 5, isLast);
    expect(await left(caller)).toBe(3);
  });

  it('is charged in the minute of each answer, and never more than it holds', async () => {
    const caller = newCaller();
    const { id } = await hold(caller, 3);
    await draw(caller, id, 1);
    clock.set('2026-11-20T10:01:03Z');
    expect(await left(caller)).toBe(3);
    expect(await draw(caller, id, 50)).toMatchObject({ granted: 2, minuteUsed: 2 });
  });

  it('outlives the hour that it was begun in, and those who tidy up', async () => {
    const caller = newCaller({ ...TIERS.member, quota: { period: 'hour', records: 10 } });
    clock.set('2026-11-20T10:59:50Z');
    const { id } = await hold(caller, 10);
    clock.set('2026-11-20T11:00:00Z');
    await new BudgetRepository(test.database, clock).purge();
    expect(await draw(caller, id, 4)).toMatchObject({ granted: 4, periodUsed: 4, reserved: 6 });
  });

  it('is over after ten minutes, also for whoever is late', async () => {
    const caller = newCaller({ ...TIERS.member, quota: { period: 'hour', records: 10 } });
    const { id } = await hold(caller, 10);
    expect(await charge(caller, 1)).toBe(0);
    clock.pass(600_000);
    expect(await draw(caller, id, 10)).toMatchObject({ granted: 0, periodUsed: 0, reserved: 0 });
    expect(await charge(caller, 10)).toBe(10);
  });
});

describe('the record budget', () => {
  it('hands out exactly the budget to parallel requests on two instances', async () => {
    const caller = newCaller();
    const take = [charge, reserve];
    const grants = await Promise.all(
      Array.from({ length: 50 }, (_, index) => (take[index % 2] ?? charge)(caller, 1, (index >> 1) % 2)),
    );
    expect(sum(grants)).toBeLessThanOrEqual(5);
    await flush();
    // What reservations kept from others in the throng may be left.
    expect(sum(grants) + (await charge(caller, 50))).toBe(5);
  });

  it('never hands out more than a window holds, whatever is asked for in which order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 }),
        async (wants) => {
          const caller = newCaller();
          const grants = await Promise.all(wants.map((wanted, index) => charge(caller, wanted, index % 2)));
          expect(sum(grants)).toBe(Math.min(5, sum(wants)));
        },
      ),
      { numRuns: runs(15) },
    );
  });

  it('charges what meets in one statement, and never more over two instances than each caller has', async () => {
    // A database of its own, where statements are counted.
    const lone = await createTestDatabase();
    await lone.database.query(`
      CREATE SEQUENCE statements;
      CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM nextval('statements'); RETURN NULL; END $$;
      CREATE TRIGGER see AFTER INSERT ON record_budget FOR EACH STATEMENT EXECUTE FUNCTION see()`);
    budgets = [newBudget(lone.database), newBudget(lone.database)];
    const people = Array.from({ length: 10 }, () => newCaller());
    const charges = Array.from({ length: 400 }, (_, place) => {
      const person = people[place % 10];
      if (!person) throw new Error('there are ten');
      return charge(person, 1 + (place % 3), (place >> 1) % 2).then(
        (records) => [person.id, records] as const,
      );
    });
    const grants = await Promise.all(charges);
    for (const { id } of people)
      expect(sum(grants.flatMap(([caller, records]) => (caller === id ? records : [])))).toBe(5);
    // On each instance the first one alone, all that came meanwhile, and what was sent last.
    await flush();
    const [seen] = await lone.database.query<{ last_value: string }>('SELECT last_value FROM statements');
    expect(Number(seen?.last_value)).toBeLessThanOrEqual(2 * 4);
    const used = await lone.database.query('SELECT DISTINCT minute_used, reservations FROM record_budget');
    expect(used).toEqual([{ minute_used: 5, reservations: {} }]);
    await lone.close();
  });

  it("charges what was sent with the caller's next request, which writes its row once", async () => {
    const lone = await createTestDatabase();
    await lone.database.query(`
      CREATE SEQUENCE writes;
      CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM nextval('writes'); RETURN NULL; END $$;
      CREATE TRIGGER see AFTER INSERT OR UPDATE ON record_budget FOR EACH ROW EXECUTE FUNCTION see()`);
    budgets = [newBudget(lone.database)];
    const [one, other] = [newCaller(), newCaller()];
    for (let request = 0; request < 5; request += 1) {
      expect(await charge(one, 1)).toBe(1);
      expect(await charge(other, 1)).toBe(1);
    }
    const writes = () => lone.database.query('SELECT last_value::int AS count FROM writes');
    expect(await writes()).toEqual([{ count: 10 }]);
    // What was sent last.
    await flush();
    expect(await writes()).toEqual([{ count: 12 }]);
    const used = await lone.database.query('SELECT minute_used, reservations FROM record_budget');
    expect(used).toEqual([
      { minute_used: 5, reservations: {} },
      { minute_used: 5, reservations: {} },
    ]);
    await lone.close();
  });

  it('charges in time also after a statement that took longer than that', async () => {
    // One moment: records of a minute that is over are not in the minute's count.
    const time = Object.assign(new BudgetClock(), { at: new Date() });
    const instance = new BudgetHolds(new BudgetRepository(test.database, time), time);
    holds.push(instance);
    const [early, late, slow] = [newCaller(), newCaller(), newCaller()];
    const first = await instance.hold(early, 1);
    const second = await instance.hold(late, 1);
    (await instance.hold(slow, 1)).end(1);
    await flush();
    let waiting: Promise<Hold> | undefined;
    await test.database.transaction(async (transaction) => {
      await transaction.query('SELECT FROM record_budget WHERE caller = $1 FOR UPDATE', [slow.id]);
      waiting = instance.hold(slow, 1);
      await until('its statement waits', async () => (await countWaiting(test.database)) > 0);
      first.end(1);
      const startMs = performance.now();
      await until('the first is due', () => performance.now() - startMs > 300);
    });
    (await waiting)?.end(0);
    const isCharged = async ({ id }: Caller) => {
      const statement = 'SELECT FROM record_budget WHERE caller = $1 AND minute_used > 0';
      return (await test.database.query(statement, [id])).length > 0;
    };
    await until('the first is charged', () => isCharged(early));
    second.end(1);
    await until('the second is charged', () => isCharged(late));
  });

  it('rests for a second after a statement that failed, and does not fail others with it', async () => {
    const lone = await createTestDatabase();
    const accountId = randomUUID();
    const keyed = (id: string): Caller => ({
      ...{ id: `account:${accountId}`, tier: TIERS.member },
      key: { id, accountId, scopes: [], audience: null },
    });
    const instance = new BudgetHolds(new BudgetRepository(lone.database, clock), clock);
    const [one, other] = [
      await instance.hold(keyed(randomUUID()), 2),
      await instance.hold(keyed(randomUUID()), 3),
    ];
    await lone.database.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'not this row'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON record_budget FOR EACH ROW
        WHEN (NEW.caller LIKE 'account:%') EXECUTE FUNCTION refuse()`);
    // A statement charges one key, so that these need two.
    one.end(2);
    other.end(3);
    await instance.flush();
    const neighbour = await instance.hold(newCaller(), 1);
    expect(neighbour.granted).toBe(1);
    neighbour.end(0);
    await lone.database.query('DROP TRIGGER refuse ON record_budget');
    clock.pass(1_000);
    await instance.hold(newCaller(), 1);
    const statement = 'SELECT minute_used FROM record_budget WHERE caller = $1';
    await until('both are charged', async () => {
      const [row] = await lone.database.query<{ minute_used: number }>(statement, [`account:${accountId}`]);
      return row?.minute_used === 5;
    });
    await instance.onApplicationShutdown();
    await lone.close();
  });

  it('counts what was sent by one key before it is charged, whatever key asks next', async () => {
    const keyed = (id: string): Caller => ({
      ...{ id: `account:${accountId}`, tier: TIERS.member },
      key: { id, accountId, scopes: [], audience: null },
    });
    const [accountId, one, other] = [randomUUID(), randomUUID(), randomUUID()];
    await charge(keyed(one), 97);
    expect(await charge(keyed(other), 50)).toBe(3);
    expect(await charge(keyed(one), 1)).toBe(0);
    await flush();
    const usage = await test.database.query(
      'SELECT key_id AS key, records::int FROM usage_day WHERE account_id = $1 ORDER BY records',
      [accountId],
    );
    expect(usage).toEqual([
      { key: other, records: 3 },
      { key: one, records: 97 },
    ]);
  });

  it('obeys its promises over time: 5 records a window, remaining never negative, Retry-After is true', async () => {
    const step = fc.record({
      records: fc.integer({ min: 1, max: 8 }),
      kind: fc.constantFrom('charge', 'reserve', 'fail'),
      waitMs: fc.integer({ min: 0, max: 40_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const caller = newCaller();
        const handedOut = new Map<number, number>();
        const minute = () => Math.floor(clock.at.getTime() / 60_000);
        for (const { records, kind, waitMs } of steps) {
          clock.pass(waitMs);
          const before = handedOut.get(minute()) ?? 0;
          const expected = Math.min(records, 5 - before);
          const work = async (reserved: number) => {
            expect(reserved).toBe(expected);
            if (kind === 'fail') throw new Error('the work failed');
          };
          try {
            const { left } =
              kind === 'charge'
                ? await budget().charge(caller, records)
                : await budget().reserve(caller, records, work);
            handedOut.set(minute(), before + expected);
            expect(left.rate.remaining).toBe(5 - before - expected);
          } catch (error) {
            if (!(error instanceof ApiError)) {
              expect(error).toMatchObject({ message: 'the work failed' });
              continue;
            }
            expect(before).toBe(5);
            clock.pass(Number(error.headers['Retry-After']) * 1000);
            expect(await charge(caller, 1)).toBe(1);
            handedOut.set(minute(), 1);
          }
        }
        expect(Math.max(...handedOut.values(), 0)).toBeLessThanOrEqual(5);
      }),
      { numRuns: runs(20) },
    );
  });

  it('counts a longer quota beside the minute, shows the smaller rest, and refuses when either is spent', async () => {
    const tier = { ...TIERS.starter, recordsPerMinute: 10, quota: { period: 'month' as const, records: 13 } };
    clock.set('2026-11-30T23:58:30Z');
    const caller = newCaller(tier);
    expect(await charge(caller, 50)).toBe(10);
    clock.set('2026-11-30T23:59:30Z');
    expect((await budget().charge(caller, 1)).left).toMatchObject({
      rate: { limit_per_min: 10, remaining: 2 },
      quota: { period: 'month', limit: 13, remaining: 2, resets_at: '2026-12-01T00:00:00.000Z' },
    });
    expect(await charge(caller, 50)).toBe(2);
    await expect(budget().charge(caller, 1)).rejects.toMatchObject({
      message: expect.stringContaining('13 domain records a month'),
      headers: { 'Retry-After': '30' },
    });
    clock.set('2026-12-01T00:00:00Z');
    expect(await charge(caller, 50)).toBe(10);
  });

  it('names the longer quota when both are spent, since waiting for the minute would not help', async () => {
    const tier = { ...TIERS.member, recordsPerMinute: 10, quota: { period: 'hour' as const, records: 10 } };
    const caller = newCaller(tier);
    expect(await charge(caller, 50)).toBe(10);
    await expect(budget().charge(caller, 1)).rejects.toMatchObject({
      message: expect.stringContaining('10 domain records an hour'),
      headers: { 'Retry-After': '3570' },
    });
  });

  it('finds the month again when a tier without it was in between', async () => {
    const caller = newCaller(TIERS.starter);
    await charge(caller, 7);
    await charge({ ...caller, tier: TIERS.firehose }, 7);
    expect((await budget().read(caller)).quota?.remaining).toBe(100_000 - 7);
  });

  it('grants nothing while the counter does not answer in time, and charges nothing', async () => {
    const caller = newCaller({ ...TIERS.starter, recordsPerMinute: 10 });
    expect(await charge(caller, 8)).toBe(8);
    const dataSource = await createDataSource(test.url, 2, () => undefined, 100).initialize();
    const impatient = newBudget(new Database(dataSource));
    await test.database.transaction(async (transaction) => {
      await transaction.query('SELECT FROM record_budget WHERE caller = $1 FOR UPDATE', [caller.id]);
      // Of the lock or of the whole statement, whichever ends first.
      await expect(impatient.charge(caller, 2)).rejects.toThrow();
    });
    await flush();
    await dataSource.destroy();
    expect(await charge(caller, 50)).toBe(2);
  });

  it('grants nothing while PostgreSQL is away; what had reserved then is free again after a minute', async () => {
    const cutOff = await startCutOff(test.url);
    const dataSource = await createDataSource(cutOff.url, 2, () => undefined).initialize();
    const far = newBudget(new Database(dataSource));
    const caller = newCaller({ ...TIERS.starter, recordsPerMinute: 10 });
    try {
      const cut = async () => cutOff.setAway(true);
      await expect(far.reserve(caller, 4, cut)).rejects.toBeInstanceOf(DatabaseUnavailable);
      await expect(far.charge(caller, 1)).rejects.toBeInstanceOf(DatabaseUnavailable);
      await expect(far.reserve(caller, 1, cut)).rejects.toBeInstanceOf(DatabaseUnavailable);
      expect((await budget().read(caller)).rate.remaining).toBe(6);
      clock.pass(60_000);
      expect(await charge(caller, 50)).toBe(10);
    } finally {
      await dataSource.destroy();
      await cutOff.close();
    }
  });

  it('forgets callers whose windows are long past, and no others', async () => {
    const [demo, starter] = [newCaller(), newCaller(TIERS.starter)];
    await charge(demo, 1);
    await charge(starter, 1);
    await flush();
    clock.pass(11 * 60_000);
    const repository = new BudgetRepository(test.database, clock);
    const known = () =>
      test.database.query<{ caller: string }>('SELECT caller FROM record_budget WHERE caller = ANY($1)', [
        [demo.id, starter.id],
      ]);
    await repository.purge();
    expect(await known()).toEqual([{ caller: starter.id }]);
    clock.set('2027-02-01T00:00:00Z');
    await repository.purge();
    expect(await known()).toEqual([]);
  });
});

describe('an instance that saw a budget spent', () => {
  const refuses = (caller: Caller, seconds: string) =>
    expect(() => budget().assertLeft(caller)).toThrow(
      expect.objectContaining({ code: 'budget_exhausted', headers: { 'Retry-After': seconds } }),
    );

  it('refuses from memory until the window ends', async () => {
    const caller = newCaller();
    await charge(caller, 4);
    budget().assertLeft(caller);
    await charge(caller, 4);
    refuses(caller, '30');
    clock.pass(29_000);
    refuses(caller, '1');
    clock.pass(1_000);
    budget().assertLeft(caller);
  });

  it('learns it from a refusal too, and of the longer quota', async () => {
    const caller = newCaller({ ...TIERS.member, quota: { period: 'hour', records: 10 } });
    await charge(caller, 10, 1);
    await flush();
    budget().assertLeft(caller);
    expect(await charge(caller, 1)).toBe(0);
    clock.pass(60_000);
    refuses(caller, '3510');
    expect(() => budget().assertLeft(caller)).toThrow(
      expect.objectContaining({
        left: expect.objectContaining({ rate: expect.objectContaining({ remaining: 0, reset_in: 30 }) }),
      }),
    );
  });

  it('asks again when the tier has changed', async () => {
    const caller = newCaller(TIERS.member);
    await charge(caller, 100);
    refuses(caller, '3570');
    budget().assertLeft({ ...caller, tier: TIERS.pro });
  });
});

it('two instances whose clocks are three hours apart grant five records together', async () => {
  const real = new BudgetClock();
  budgets = [newBudget(test.database, real), newBudget(test.database, real)];
  const grants = await withinMinute(async () => {
    const caller = newCaller();
    const now = Date.now();
    const granted: number[] = [];
    // Only Date: the database driver lives on timers.
    jest.useFakeTimers({ now, doNotFake: [...TIMERS] });
    try {
      for (const [turn, hours] of [0, 3, 0, 3].entries()) {
        jest.setSystemTime(now + hours * 3_600_000);
        granted.push(await charge(caller, 2, turn % 2));
      }
    } finally {
      jest.useRealTimers();
    }
    return granted;
  });
  expect(grants).toEqual([2, 2, 1, 0]);
});

const TIMERS = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;

it('goes on with the hours and months that were counted before it was one row a caller, and back', async () => {
  const lone = await createTestDatabase();
  const runner = lone.database.dataSource.createQueryRunner();
  const migrations = [new ChargeBudgetAtOnce1766000050000(), new CreateBulkChecks1766000141000()];
  const up = async () => {
    for (const migration of migrations) await migration.up(runner);
  };
  const down = async () => {
    for (const migration of migrations.toReversed()) await migration.down(runner);
  };
  const [member, starter] = [newCaller(TIERS.member), newCaller(TIERS.starter)];
  await down();
  await runner.query(
    `INSERT INTO record_budget (key, points, expire) VALUES
      ($1 || '|minute|2026-11-20T10:00:00.000Z', 9, 0), ($1 || '|hour|2026-11-20T09:00:00.000Z', 50, 0),
      ($1 || '|hour|2026-11-20T10:00:00.000Z', 9, 0), ($2 || '|month|2026-11-01T00:00:00.000Z', 700, 0)`,
    [member.id, starter.id],
  );
  await up();
  const left = async (caller: Caller) => (await newBudget(lone.database).read(caller)).quota?.remaining;
  expect(await Promise.all([member, starter].map(left))).toEqual([100 - 9, 100_000 - 700]);
  await down();
  await up();
  expect(await Promise.all([member, starter].map(left))).toEqual([100 - 9, 100_000 - 700]);
  await runner.release();
  await lone.close();
});

it('is counted without waiting for the disk', async () => {
  await test.database.query(`
    CREATE TABLE seen (synchronous_commit text);
    CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO seen SELECT current_setting('synchronous_commit'); RETURN NEW; END $$;
    CREATE TRIGGER see AFTER INSERT OR UPDATE ON record_budget FOR EACH ROW EXECUTE FUNCTION see();
    DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = on', current_database()); END $$`);
  // The tests' own server never waits; a connection that is made now does.
  const dataSource = await createDataSource(test.url, 1, () => undefined).initialize();
  const database = new Database(dataSource);
  expect(await database.query('SHOW synchronous_commit')).toEqual([{ synchronous_commit: 'on' }]);
  const caller = newCaller();
  for (let time = 0; time < 2; time += 1) await newBudget(database).charge(caller, 1);
  const { id } = await new BudgetRepository(database, clock).reserve(caller, 1, 600);
  await new BudgetRepository(database, clock).draw(caller, id, 1, 0);
  await flush();
  expect(await database.query('SELECT DISTINCT synchronous_commit FROM seen')).toEqual([
    { synchronous_commit: 'off' },
  ]);
  expect(await database.query('SHOW synchronous_commit')).toEqual([{ synchronous_commit: 'on' }]);
  await dataSource.destroy();
});
