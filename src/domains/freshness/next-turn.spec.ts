import fc from 'fast-check';
import { FRESH_MS, NO_ASKER_CREDITS, NO_CREDITS, nextTurn, type TurnClass } from './next-turn.js';

const NOW = Date.parse('2026-11-20T04:00:00Z');
const MINUTE = 60_000;
const EMPTY = {
  caller: false,
  canary: false,
  sample: false,
  retryAt: null as number | null,
  newestPurgeAt: null as number | null,
  backlog: false,
  repeat: null as number | null,
  isOverdue: false,
  recheck: null as number | null,
};
type Queues = typeof EMPTY;
const LIMITS = { threshold: 1, leastWorth: 0.3 };
const START = { ...LIMITS, credits: NO_CREDITS, askerCredits: NO_ASKER_CREDITS };

/** How many of so many turns each class gets while the queues stay as they are. */
function spend(queues: Queues, turns: number, now = NOW): Partial<Record<TurnClass | 'idle', number>> {
  const spent: Partial<Record<TurnClass | 'idle', number>> = {};
  let parameters = START;
  for (let turn = 0; turn < turns; turn += 1) {
    const next = nextTurn(now, queues, parameters);
    parameters = { ...parameters, credits: next.credits, askerCredits: next.askerCredits };
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
    expect(spend({ ...EMPTY, repeat: 3, recheck: 2 }, 100)).toEqual({ recheck: 9, repeat: 91 });
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

  const floods = {
    ...EMPTY,
    ...{ caller: true, canary: true, sample: true },
    newestPurgeAt: NOW - MINUTE,
  };

  it('lets callers go first, and keeps small shares for the others while callers want every turn', () => {
    expect(spend(floods, 1)).toEqual({ caller: 1 });
    expect(spend(floods, 1_000)).toEqual({ caller: 555, canary: 199, sample: 47, fresh: 199 });
    expect(spend({ ...floods, canary: false, sample: false }, 1_000)).toEqual({ caller: 801, fresh: 199 });
  });

  it('lends the shares of askers to the others', () => {
    expect(spend({ ...EMPTY, caller: true }, 100)).toEqual({ caller: 100 });
    expect(spend({ ...EMPTY, sample: true }, 100)).toEqual({ sample: 100 });
    // A question that is not worth its turn takes none from a caller.
    expect(spend({ ...EMPTY, caller: true, repeat: 0.2 }, 100)).toEqual({ caller: 100 });
  });

  it('gives a sample that is too large its share while names wait', () => {
    expect(spend({ ...EMPTY, sample: true, backlog: true }, 1_000)).toEqual({ sample: 47, backlog: 953 });
  });

  it('charges the queues for their own turns alone', () => {
    const first = nextTurn(NOW, { ...EMPTY, caller: true, backlog: true }, START);
    expect(first).toEqual({
      turn: 'caller',
      credits: NO_CREDITS,
      askerCredits: { canary: 0.2, sample: 0.05, queues: 0.2 },
    });
  });
});
