import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import type { Caller } from '../../src/access/caller.js';
import { BudgetClock, type BudgetStore, type Grant } from '../../src/access/budget-store.js';
import { BudgetRepository } from '../../src/access/budget.repository.js';
import { RedisBudget } from '../../src/access/redis-budget.js';
import { BoundedRedis } from '../../src/redis/bounded-redis.js';
import { RedisConnection } from '../../src/redis/redis.module.js';
import { TIERS } from '../../src/config/tiers.js';
import { withinMinute } from '../support/clock.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { describeWithRedis, startRedis, type TestRedis } from '../support/redis.js';
import { runs } from '../support/runs.js';

const LONG_MS = 3_600_000;

class TestClock extends BudgetClock {
  override at: Date | null = new Date('2026-11-20T10:00:30Z');

  set(time: Date | null): void {
    this.at = time;
  }
}

let callers = 0;
const newCaller = (tier = TIERS.demo): Caller => ({ tier, id: `ip:redis-${++callers}` });

describeWithRedis('records in Redis', () => {
  let test: TestDatabase;
  let server: TestRedis;
  let connections: RedisConnection[];
  let clock: TestClock;
  beforeAll(async () => {
    Logger.overrideLogger(false);
    test = await createTestDatabase();
    server = await startRedis();
    connections = [0, 1].map(() => new RedisConnection(server.url, BoundedRedis));
    for (const connection of connections) await connection.open();
  });
  afterAll(async () => {
    for (const connection of connections) connection.close();
    await server.close();
    await test.close();
  });
  beforeEach(() => (clock = new TestClock()));

  /** The store of an instance; Redis has been running for so long. */
  const instance = (number: number, ageMs = LONG_MS): BudgetStore => {
    const connection = connections[number];
    if (!connection) throw new Error('two instances are enough');
    return new RedisBudget(
      { client: connection.client, ageMs },
      new BudgetRepository(test.database, clock),
      clock,
    );
  };
  const rowsOf = ({ id }: Caller) =>
    test.database.query<{ period: string }>('SELECT period FROM record_budget WHERE caller = $1', [id]);
  /** What one holder does, whose statements come one after the other. */
  const holderOf = (store: BudgetStore, id: string) => {
    let [turn, held, sent] = [0, 0, 0];
    let grantedAt: Date | null = null;
    const settle = async (caller: Caller, wanted: number): Promise<Grant> => {
      const settlement = { caller, sent, grantedAt, held, wanted };
      sent = 0;
      const [grant] = await store.settle({ id, turn: ++turn }, [settlement]);
      if (!grant) throw new Error('a settlement has a grant');
      held += grant.granted;
      if (grant.granted > 0) grantedAt = grant.now;
      return grant;
    };
    return {
      settle,
      end: (isSent: boolean) => {
        if (isSent) sent = held;
        held = 0;
      },
    };
  };
  /** Holds and charges at once. */
  const charge = async (store: BudgetStore, caller: Caller, records: number): Promise<Grant> => {
    const holder = holderOf(store, `holder-${++callers}`);
    const { granted } = await holder.settle(caller, records);
    holder.end(true);
    return { ...(await holder.settle(caller, 0)), granted };
  };
  const sum = (grants: readonly Grant[]) => grants.reduce((total, { granted }) => total + granted, 0);

  it('are granted exactly to 200 parallel requests on two instances, by the clock of Redis', async () => {
    clock.set(null);
    const stores = [instance(0), instance(1)];
    const { caller, grants } = await withinMinute(async () => {
      const one = newCaller();
      const charges = Array.from({ length: 100 }, () => stores.map((store) => charge(store, one, 1))).flat();
      return { caller: one, grants: await Promise.all(charges) };
    });
    expect(sum(grants)).toBe(5);
    expect(Math.abs((grants[0]?.now.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(await rowsOf(caller)).toEqual([]);
  });

  it('are never more than the minute holds, whatever is asked for in which order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 }),
        async (wants) => {
          const caller = newCaller();
          const grants = await Promise.all(
            wants.map((want, place) => charge(instance(place % 2), caller, want)),
          );
          expect(sum(grants)).toBe(
            Math.min(
              5,
              wants.reduce((total, want) => total + want, 0),
            ),
          );
        },
      ),
      { numRuns: runs(20) },
    );
  });

  it('are what PostgreSQL would say, step by step: holds, what was sent, reservations, and time', async () => {
    const step = fc.record({
      records: fc.integer({ min: 0, max: 8 }),
      kind: fc.constantFrom('hold', 'send', 'release', 'reserve', 'draw', 'read'),
      waitMs: fc.integer({ min: 0, max: 40_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
        const caller = newCaller();
        const stores = [instance(0), new BudgetRepository(test.database, clock)].map((store) => ({
          store,
          holder: holderOf(store, 'one'),
          reservation: '',
        }));
        let moment = Date.parse('2026-11-20T10:00:30Z');
        for (const { records, kind, waitMs } of steps) {
          clock.set(new Date((moment += waitMs)));
          const [inRedis, inPostgres] = await Promise.all(
            stores.map(async (one) => {
              const { store, holder } = one;
              if (kind === 'hold') return holder.settle(caller, records);
              if (kind === 'read') return store.read(caller);
              if (kind === 'draw') return store.draw(caller, one.reservation, records, 9 - records);
              if (kind === 'reserve') {
                const reserved = await store.reserve(caller, records, 60);
                one.reservation = reserved.id;
                return reserved;
              }
              holder.end(kind === 'send');
              return holder.settle(caller, 0);
            }),
          );
          expect(countsOf(inRedis)).toEqual(countsOf(inPostgres));
        }
      }),
      { numRuns: runs(25) },
    );
  });

  it('stay in the minute that was begun when the clock steps back', async () => {
    const caller = newCaller();
    clock.set(new Date('2026-11-20T10:01:00Z'));
    await charge(instance(0), caller, 4);
    clock.set(new Date('2026-11-20T10:00:59Z'));
    const now = new Date('2026-11-20T10:01:00Z');
    expect(await charge(instance(1), caller, 4)).toMatchObject({ granted: 1, minuteUsed: 5, now });
  });

  it('that a killed process had reserved are free again after a minute', async () => {
    const caller = newCaller();
    await instance(0).reserve(caller, 4, 60);
    expect(await charge(instance(1), caller, 50)).toMatchObject({ granted: 1, reserved: 4 });
    clock.set(new Date('2026-11-20T10:01:29.999Z'));
    expect(await instance(1).read(caller)).toMatchObject({ minuteUsed: 0, reserved: 4 });
    clock.set(new Date('2026-11-20T10:01:30Z'));
    expect(await charge(instance(1), caller, 50)).toMatchObject({ granted: 5, reserved: 0 });
  });

  it('of a caller with a longer budget are counted in PostgreSQL, minute and all', async () => {
    const caller = newCaller(TIERS.starter);
    expect(await charge(instance(0), caller, 500)).toMatchObject({ granted: 120, periodUsed: 120 });
    expect(await rowsOf(caller)).toEqual([{ period: 'month' }]);
  });

  it('of a minute that began before Redis did are counted in PostgreSQL', async () => {
    const caller = newCaller();
    const young = instance(0, 30_000);
    expect(await charge(young, caller, 2)).toMatchObject({ granted: 2 });
    expect(await rowsOf(caller)).toEqual([{ period: 'minute' }]);
    expect(await instance(1, 30_001).read(caller)).toMatchObject({ minuteUsed: 0 });
  });

  it('that are drawn last while Redis is away are charged in PostgreSQL, and none of them twice', async () => {
    const caller = newCaller();
    const [connection] = connections;
    if (!connection) throw new Error('there is a connection');
    const redis: { client: typeof connection.client; ageMs: number | null } = {
      client: connection.client,
      ageMs: LONG_MS,
    };
    const otherwise = new BudgetRepository(test.database, clock);
    const store = new RedisBudget(redis, otherwise, clock);
    const { id } = await store.reserve(caller, 4, 600);
    expect(await store.draw(caller, id, 1, 4)).toMatchObject({ granted: 1 });
    redis.ageMs = null;
    expect(await store.draw(caller, id, 2, 4)).toMatchObject({ granted: 0 });
    expect(await store.draw(caller, id, 3, 0)).toMatchObject({ granted: 2 });
    expect(await store.draw(caller, id, 3, 0)).toMatchObject({ granted: 0 });
    expect(await otherwise.read(caller)).toMatchObject({ minuteUsed: 2 });
  });

  it('are forgotten by Redis itself', async () => {
    const caller = newCaller();
    await charge(instance(0), caller, 1);
    const left = await connections[0]?.client.pttl(`records:${caller.id}`);
    expect(left).toBeGreaterThan(60_000);
    expect(left).toBeLessThanOrEqual(120_000);
  });
});

/** Without what names the one or the other store. */
function countsOf(counts: unknown): unknown {
  const { now, minuteUsed, reserved, granted } = counts as Grant;
  return { now, minuteUsed, reserved, granted: granted || 0 };
}
