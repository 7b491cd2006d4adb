import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import type { Caller } from '../../src/auth/caller.js';
import { createDataSource } from '../../src/database/data-source.js';
import { Database } from '../../src/database/database.js';
import { DatabaseUnavailable } from '../../src/database/database-unavailable.js';
import { ApiError } from '../../src/errors/api-error.js';
import { BudgetCounters } from '../../src/rate-limit/budget/budget-counters.js';
import { RecordBudget } from '../../src/rate-limit/budget/record-budget.js';
import { TIERS } from '../../src/tiers/tiers.js';
import { startCutOff } from '../support/proxy.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const DEMO = TIERS.demo;
let test: TestDatabase;
let counters: BudgetCounters;
let budgets: RecordBudget[];
let callers = 0;

beforeAll(async () => {
  Logger.overrideLogger(false);
  test = await createTestDatabase();
  counters = new BudgetCounters(test.database);
  budgets = [new RecordBudget(counters), new RecordBudget(new BudgetCounters(test.database))];
});
afterAll(() => test.close());

const newCaller = (tier = DEMO): Caller => ({ tier, id: `ip:test-${++callers}` });
const budget = (instance = 0): RecordBudget => {
  const found = budgets[instance];
  if (!found) throw new Error('two instances are enough');
  return found;
};
const keep = async (granted: number) => ({ used: granted, result: granted });
/** Records granted; 0 when the budget refused. */
const take = async (caller: Caller, wanted: number, instance = 0): Promise<number> => {
  try {
    return (await budget(instance).spend(caller, wanted, keep)).result;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'budget_exhausted') return 0;
    throw error;
  }
};

describe('the record budget', () => {
  beforeAll(() => {
    // Only Date is faked: the windows must not turn in the middle of a test.
    jest.useFakeTimers({ now: new Date('2026-11-20T10:00:30Z'), doNotFake: [...TIMERS] });
  });
  afterAll(() => jest.useRealTimers());

  it('grants what is left when more is wanted, then refuses and says when to return', async () => {
    const caller = newCaller();
    expect(await take(caller, 3)).toBe(3);
    expect(await take(caller, 50)).toBe(2);
    await expect(budget().spend(caller, 1, keep)).rejects.toMatchObject({
      code: 'budget_exhausted',
      headers: { 'Retry-After': '30', 'X-RateLimit-Remaining': '0' },
    });
  });

  it('gives back what the work did not use', async () => {
    const caller = newCaller();
    const { rate } = await budget().spend(caller, 5, async () => ({ used: 2, result: null }));
    expect(rate).toMatchObject({ limit_per_min: 5, remaining: 3, reset_in: 30 });
  });

  it('gives everything back when the work fails, and says so in the failure', async () => {
    const caller = newCaller();
    const failing = budget().spend(caller, 4, () =>
      Promise.reject(new ApiError('registry_unavailable', 'away')),
    );
    await expect(failing).rejects.toMatchObject({ headers: { 'X-RateLimit-Remaining': '5' } });
    expect(await take(caller, 50)).toBe(5);
  });

  it('says what is left of the minute in which it answers, not of that in which it was asked', async () => {
    const caller = newCaller();
    jest.setSystemTime(new Date('2026-11-20T10:00:59Z'));
    const { rate } = await budget().spend(caller, 5, async () => {
      jest.setSystemTime(new Date('2026-11-20T10:01:03Z'));
      return { used: 4, result: null };
    });
    expect(rate).toMatchObject({ remaining: 5, reset_in: 57 });
    jest.setSystemTime(new Date('2026-11-20T10:01:30Z'));
  });

  it('is not begun when nothing is left', async () => {
    const caller = newCaller();
    await take(caller, 5);
    let begun = false;
    await expect(
      budget().spend(caller, 1, async () => {
        begun = true;
        return { used: 1, result: null };
      }),
    ).rejects.toBeInstanceOf(ApiError);
    expect(begun).toBe(false);
  });

  it('held by a request under way is not said to be spent, and what that keeps is', async () => {
    const caller = newCaller();
    const refused = (seconds: string, words: string) =>
      expect(budget().spend(caller, 1, keep)).rejects.toMatchObject({
        code: 'budget_exhausted',
        message: expect.stringContaining(words),
        headers: { 'Retry-After': seconds },
      });
    for (const used of [0, 5])
      await budget().spend(caller, 50, async () => {
        await refused('1', '5 domain records a minute is held by requests under way; try again in a second');
        return { used, result: null };
      });
    await refused('30', 'is spent; it is full again in 30 s');
  });

  it('hands out exactly the budget to parallel requests on two instances', async () => {
    const caller = newCaller();
    const grants = await Promise.all(Array.from({ length: 50 }, (_, index) => take(caller, 1, index % 2)));
    expect(sum(grants)).toBe(5);
  });

  it('never hands out more than a window holds, whatever is asked for in which order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 }),
        async (wants) => {
          const caller = newCaller();
          const grants = await Promise.all(wants.map((wanted, index) => take(caller, wanted, index % 2)));
          expect(sum(grants)).toBe(Math.min(5, sum(wants)));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('obeys its promises over time: 5 records a window, remaining never negative, Retry-After is true', async () => {
    const step = fc.record({
      wanted: fc.integer({ min: 1, max: 8 }),
      used: fc.integer({ min: 0, max: 8 }),
      fails: fc.boolean(),
      waitMs: fc.integer({ min: 0, max: 40_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const caller = newCaller();
        const handedOut = new Map<number, number>();
        for (const { wanted, used, fails, waitMs } of steps) {
          jest.setSystemTime(Date.now() + waitMs);
          const minute = Math.floor(Date.now() / 60_000);
          const before = handedOut.get(minute) ?? 0;
          try {
            const { result, rate } = await budget().spend(caller, wanted, async (granted) => {
              expect(granted).toBe(Math.min(wanted, 5 - before));
              if (fails) throw new Error('the work failed');
              return { used: Math.min(used, granted), result: Math.min(used, granted) };
            });
            handedOut.set(minute, before + result);
            expect(rate.remaining).toBe(5 - before - result);
          } catch (error) {
            if (!(error instanceof ApiError)) continue;
            expect(before).toBe(5);
            jest.setSystemTime(Date.now() + Number(error.headers['Retry-After']) * 1000);
            expect(await take(caller, 1)).toBe(1);
            handedOut.set(Math.floor(Date.now() / 60_000), 1);
          }
        }
        expect(Math.max(...handedOut.values(), 0)).toBeLessThanOrEqual(5);
      }),
      { numRuns: 60 },
    );
  });

  it('counts a longer quota beside the minute and refuses by whichever is spent', async () => {
    const tier = { ...TIERS.starter, recordsPerMinute: 10, quota: { period: 'month' as const, records: 12 } };
    jest.setSystemTime(new Date('2026-11-30T23:58:30Z'));
    const caller = newCaller(tier);
    expect(await take(caller, 50)).toBe(10);
    jest.setSystemTime(new Date('2026-11-30T23:59:30Z'));
    expect(await take(caller, 50)).toBe(2);
    await expect(budget().spend(caller, 1, keep)).rejects.toMatchObject({
      message: expect.stringContaining('12 domain records a month'),
      headers: { 'Retry-After': '30' },
    });
    jest.setSystemTime(new Date('2026-12-01T00:00:00Z'));
    expect(await take(caller, 50)).toBe(10);
  });

  it('names the longer quota when both are spent: the minute alone would have the caller back for nothing', async () => {
    const tier = { ...TIERS.member, recordsPerMinute: 10, quota: { period: 'hour' as const, records: 10 } };
    jest.setSystemTime(new Date('2026-12-02T10:00:30Z'));
    const caller = newCaller(tier);
    expect(await take(caller, 50)).toBe(10);
    await expect(budget().spend(caller, 1, keep)).rejects.toMatchObject({
      message: expect.stringContaining('10 domain records an hour'),
      headers: { 'Retry-After': '3570', RateLimit: '"member";r=0;t=30, "member-hour";r=0;t=3570' },
    });
  });

  it('whatever comes back while PostgreSQL is away is settled afterwards, and nothing is given twice', async () => {
    const cutOff = await startCutOff(test.url);
    const dataSource = await createDataSource(cutOff.url, 2, () => undefined).initialize();
    const counting = new BudgetCounters(new Database(dataSource));
    const fickle = new RecordBudget(counting);
    const wants = fc.record({
      wanted: fc.integer({ min: 1, max: 40 }),
      used: fc.integer({ min: 0, max: 40 }),
      fails: fc.boolean(),
      awayBefore: fc.boolean(),
      awayAfter: fc.boolean(),
    });
    const tier = { ...TIERS.starter, recordsPerMinute: 10_000 };
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(wants, { minLength: 1, maxLength: 12 }), async (steps) => {
          const caller = newCaller(tier);
          let spent = 0;
          for (const { wanted, used, fails, awayBefore, awayAfter } of steps) {
            cutOff.setAway(awayBefore);
            const kept = fails ? 0 : Math.min(used, wanted);
            const work = async () => {
              cutOff.setAway(awayAfter);
              if (fails) throw new Error('the work failed');
              return { used: kept, result: null };
            };
            await fickle.spend(caller, wanted, work).catch((error: Error) => {
              if (error.message !== 'the work failed') throw error;
            });
            spent += kept;
          }
          cutOff.setAway(false);
          // Connections that were cut may fail once more.
          for (let attempt = 0; !(await counting.settle()); attempt += 1) expect(attempt).toBeLessThan(5);
          const { rate, quota } = await budget().read(caller);
          expect([10_000 - rate.remaining, 100_000 - (quota?.remaining ?? 0)]).toEqual([spent, spent]);
        }),
        { numRuns: 40 },
      );
    } finally {
      await dataSource.destroy();
      await cutOff.close();
    }
  });

  it('grants nothing while the counter does not answer in time, and keeps nothing of the windows that did', async () => {
    const caller = newCaller({ ...TIERS.starter, recordsPerMinute: 10 });
    expect(await take(caller, 8)).toBe(8);
    const dataSource = await createDataSource(test.url, 2, () => undefined, 100).initialize();
    const impatient = new RecordBudget(new BudgetCounters(new Database(dataSource)));
    await test.database.transaction(async (transaction) => {
      await transaction.query(`SELECT FROM record_budget WHERE key LIKE $1 || '|month|%' FOR UPDATE`, [
        caller.id,
      ]);
      await expect(impatient.spend(caller, 2, keep)).rejects.toThrow(DatabaseUnavailable);
    });
    await dataSource.destroy();
    expect((await budget().read(caller)).rate.remaining).toBe(2);
    expect(await take(caller, 50)).toBe(2);
  });

  it('forgets counters of windows long past', async () => {
    await take(newCaller(), 1);
    jest.setSystemTime(new Date('2027-02-01T00:00:00Z'));
    await counters.purgeExpired();
    expect(await test.database.query('SELECT key FROM record_budget')).toEqual([]);
  });
});

// Everything but Date stays real: the database driver lives on timers.
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

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

it('is counted without waiting for the disk', async () => {
  const seen = await test.database.transaction(async (transaction) => {
    const read = () => transaction.query<{ synchronous_commit: string }>('SHOW synchronous_commit');
    // The tests' own server never waits.
    await transaction.query('SET LOCAL synchronous_commit = on');
    const before = await read();
    await transaction.query(`INSERT INTO record_budget (key, points, expire) VALUES ('test', 1, 0)`);
    return [...before, ...(await read())].map((row) => row.synchronous_commit);
  });
  expect(seen).toEqual(['on', 'off']);
});
