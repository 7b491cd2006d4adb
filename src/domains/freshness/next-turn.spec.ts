import fc from 'fast-check';
import {
  FRESH_MS,
  NO_CREDITS,
  nextTurn,
  type TurnClass,
  type TurnParameters,
  type TurnQueues,
} from './next-turn.js';

const NOW = Date.parse('2026-11-20T04:00:00Z');
const MINUTE = 60_000;
const EMPTY: TurnQueues = {
  caller: false,
  canary: false,
  sample: false,
  retryAt: null,
  newestPurgeAt: null,
  backlog: false,
  repeat: null,
  isOverdue: false,
  recheck: null,
};
const LIMITS = { threshold: 1, leastWorth: 0.3 };

/** How many of so many turns each class gets while the queues stay as they are. */
function spend(queues: TurnQueues, turns: number, now = NOW): Partial<Record<TurnClass | 'idle', number>> {
  const spent: Partial<Record<TurnClass | 'idle', number>> = {};
  let parameters: TurnParameters = { ...LIMITS, credits: NO_CREDITS };
  for (let turn = 0; turn < turns; turn += 1) {
    const next = nextTurn(now, queues, parameters);
    parameters = { ...parameters, credits: next.credits };
    spent[next.turn ?? 'idle'] = (spent[next.turn ?? 'idle'] ?? 0) + 1;
  }
  return spent;
}

describe('nextTurn', () => {
  it('gives nearly all turns to the drops of the day, and small shares to retries and repeats', () => {
    const queues = {
      ...EMPTY,
      newestPurgeAt: NOW - MINUTE,
      retryAt: NOW - 1,
      repeat: 5,
      recheck: 5,
      backlog: true,
    };
    const { fresh, retry, repeat, ...others } = spend(queues, 1_000);
    expect({ retry, repeat, others }).toEqual({ retry: 99, repeat: 30, others: {} });
    expect(fresh).toBe(871);
  });

  it('lends what a class does not need to the others', () => {
    expect(spend({ ...EMPTY, backlog: true }, 100)).toEqual({ backlog: 100 });
    expect(spend({ ...EMPTY, recheck: 2 }, 100)).toEqual({ recheck: 100 });
    expect(spend({ ...EMPTY, retryAt: NOW }, 100)).toEqual({ retry: 100 });
  });

  it('serves what is left by worth', () => {
    expect(spend({ ...EMPTY, repeat: 3, recheck: 2 }, 100)).toEqual({ recheck: 15, repeat: 85 });
    expect(spend({ ...EMPTY, repeat: 2, recheck: 3 }, 100)).toEqual({ recheck: 100 });
  });

  it('leaves turns idle for which no question is worth it', () => {
    expect(spend({ ...EMPTY, repeat: 0.2, recheck: 0.1 }, 10)).toEqual({ idle: 10 });
    expect(spend({ ...EMPTY, repeat: 0.2, recheck: 0.4 }, 10)).toEqual({ recheck: 10 });
    expect(spend({ ...EMPTY, retryAt: NOW + 1 }, 10)).toEqual({ idle: 10 });
  });

  it('takes an old drop for backlog', () => {
    expect(spend({ ...EMPTY, newestPurgeAt: NOW - FRESH_MS, backlog: true }, 10)).toEqual({ backlog: 10 });
  });

  it('lets no class with work starve, whatever else waits', () => {
    const worth = fc.double({ min: 1, max: 1e6, noNaN: true });
    const drops = fc.oneof(fc.constant(null), fc.constant(NOW - 13 * 60 * MINUTE));
    fc.assert(
      fc.property(drops, worth, worth, fc.boolean(), (newestPurgeAt, repeat, recheck, isOverdue) => {
        const queues = { ...EMPTY, newestPurgeAt, retryAt: NOW, backlog: true, repeat, isOverdue, recheck };
        const spent = spend(queues, 2_000);
        for (const kind of ['retry', 'repeat', 'recheck', 'backlog'] as const) {
          // Repeats that are neither overdue nor worth the most have no claim of their own outside the drop hour.
          if (kind === 'repeat' && newestPurgeAt === null && !isOverdue && repeat < recheck) continue;
          expect(spent[kind]).toBeGreaterThan(20);
        }
        expect(newestPurgeAt === null || (spent.fresh ?? 0) > 1_000).toBe(true);
      }),
    );
  });

  it('goes on where the clock was set back', () => {
    const queues = { ...EMPTY, newestPurgeAt: NOW, backlog: true, retryAt: NOW, recheck: 2 };
    expect(spend(queues, 100, NOW - 120 * MINUTE)).toEqual({ fresh: 100 });
    expect(spend({ ...queues, newestPurgeAt: null }, 100, NOW - 120 * MINUTE)).toMatchObject({ backlog: 50 });
  });

  it('lets callers, canaries and the sample come by their own clocks', () => {
    const all = { ...EMPTY, caller: true, canary: true, sample: true, newestPurgeAt: NOW };
    expect(spend(all, 1)).toEqual({ caller: 1 });
    expect(spend({ ...all, caller: false }, 1)).toEqual({ canary: 1 });
    expect(spend({ ...all, caller: false, canary: false }, 1)).toEqual({ sample: 1 });
  });
});
