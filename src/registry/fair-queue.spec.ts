import fc from 'fast-check';
import { schedule, type TurnAsker, type FairQueue, type TurnWish } from './fair-queue.js';

/** A turn every two seconds, thirty a minute; a quarter of them are seven. */
const PACE = { ratePerSecond: 0.5, burst: 1, maxWaitMs: 4_000 };
const GAP_MS = 2_000;
const NOW = Date.parse('2026-11-20T10:00:00Z');
const EMPTY: FairQueue = { fullAt: 0, waiting: [], minute: 0, turns: {}, lastWasDemo: false };

const account = (id: string): TurnAsker => ({ id: `account:${id}`, tier: { keyRequired: true } });
const address = (id: string): TurnAsker => ({ id: `ip:${id}`, tier: { keyRequired: false } });

let places = 0;
const wishOf = (by: TurnAsker, maxWaitMs = 1e9): TurnWish => ({ id: `place-${++places}`, by, maxWaitMs });

/**
 * The turns of a minute but the first, for those who always want one: whoever had one is back in the line at once.
 *
 * @returns who had them
 */
function play(askers: readonly TurnAsker[], known: FairQueue = EMPTY): TurnAsker[] {
  const wishes = askers.map((by) => wishOf(by));
  const given: TurnAsker[] = [];
  let { line } = schedule(known, PACE, wishOf('service'), NOW);
  for (let turn = 0; turn < 30; turn += 1)
    for (const [index, wish] of wishes.entries()) {
      const decision = schedule(line, PACE, wish, NOW + turn * GAP_MS);
      line = decision.line;
      if (!decision.granted) continue;
      given.push(wish.by);
      const next = wishOf(wish.by);
      wishes[index] = next;
      line = schedule(line, PACE, next, NOW + turn * GAP_MS).line;
    }
  return given;
}

const countOf = (given: readonly TurnAsker[], by: TurnAsker) => given.filter((one) => one === by).length;

describe('who alone wants turns', () => {
  it('has all of them, whoever it is', () => {
    const bot = address('1');
    expect(countOf(play([bot]), bot)).toBe(29);
  });

  it('is told when the next one comes', () => {
    const { line } = schedule(EMPTY, PACE, wishOf(address('1')), NOW);
    expect(schedule(line, PACE, wishOf(address('1'), 0), NOW)).toMatchObject({
      granted: false,
      waitMs: GAP_MS,
      retryMs: null,
    });
  });
});

describe('a caller with a key', () => {
  it('comes before the earlier demo for a quarter of the turns of a minute, and has half of them after', () => {
    const pro = account('pro');
    const given = play([...['1', '2', '3', '4'].map(address), pro]);
    expect(given.slice(0, 7)).toEqual(Array(7).fill(pro));
    expect(countOf(given.slice(7), pro)).toBeGreaterThanOrEqual(11);
  });

  it('that has had a quarter lets others with a key go first', () => {
    const [first, second] = [account('first'), account('second')];
    const given = play([first, second]).slice(0, 14);
    expect([countOf(given, first), countOf(given, second)]).toEqual([7, 7]);
    const line = { ...EMPTY, minute: NOW, turns: { 'account:first': 7 } };
    expect(play([first, second], line).slice(0, 7)).toEqual(Array(7).fill(second));
  });
});

describe('a caller with a key that has had a quarter', () => {
  it('waits for one turn of the demo, however many of its callers are there', () => {
    let line: FairQueue = { ...EMPTY, minute: NOW, turns: { 'account:pro': 8 } };
    line = schedule(line, PACE, wishOf('service'), NOW).line;
    for (const id of ['1', '2', '3', '4']) line = schedule(line, PACE, wishOf(address(id)), NOW).line;
    expect(schedule(line, PACE, wishOf(account('pro'), 2 * GAP_MS), NOW)).toMatchObject({
      waitMs: 2 * GAP_MS,
      retryMs: expect.any(Number),
    });
  });
});

describe('a refused turn', () => {
  it('says when there will be one, behind all who go before', () => {
    let { line } = schedule(EMPTY, PACE, wishOf(account('1')), NOW);
    for (const id of ['2', '3']) line = schedule(line, PACE, wishOf(account(id)), NOW).line;
    const late = schedule(line, PACE, wishOf(address('1'), PACE.maxWaitMs), NOW);
    expect(late).toMatchObject({ granted: false, waitMs: 3 * GAP_MS, retryMs: null });
    expect(late.line.waiting).toHaveLength(2);
  });

  it('is what a job gets while anybody waits', () => {
    let { line } = schedule(EMPTY, PACE, wishOf(account('1')), NOW);
    line = schedule(line, PACE, wishOf(address('1')), NOW).line;
    expect(schedule(line, PACE, wishOf('job', 0), NOW + GAP_MS)).toMatchObject({
      granted: false,
      waitMs: GAP_MS,
    });
  });
});

describe('a place in the line', () => {
  it('is free again when whoever had it does not come back', () => {
    let { line } = schedule(EMPTY, PACE, wishOf(account('1')), NOW);
    line = schedule(line, PACE, wishOf(account('killed')), NOW).line;
    const wish = wishOf(address('1'));
    expect(schedule(line, PACE, wish, NOW + GAP_MS).granted).toBe(false);
    expect(schedule(line, PACE, wish, NOW + GAP_MS + 1_001).granted).toBe(true);
  });

  it('is in front for the service itself', () => {
    let { line } = schedule(EMPTY, PACE, wishOf(account('1')), NOW);
    line = schedule(line, PACE, wishOf(account('2')), NOW).line;
    expect(schedule(line, PACE, wishOf('service'), NOW)).toMatchObject({ waitMs: GAP_MS });
  });
});

describe('whoever comes in whatever order', () => {
  const askers = [...['1', '2', '3'].map(address), ...['1', '2'].map(account)];

  it('has no more than its share while others wait, and no turn is lost', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(askers, { minLength: 2 }), (some) => {
        const given = play(some);
        expect(given).toHaveLength(29);
        const hasKey = (by: TurnAsker) => typeof by !== 'string' && by.tier.keyRequired;
        const demo = given.filter((by) => !hasKey(by)).length;
        if (some.some(hasKey)) expect(demo).toBeLessThanOrEqual(15);
        // Nobody has more than a quarter while one waits who has had less.
        const counts = some.filter(hasKey).map((by) => countOf(given, by));
        if (Math.max(...counts) > 7) expect(Math.min(...counts)).toBeGreaterThanOrEqual(7);
      }),
      { numRuns: 30 },
    );
  });

  it('is counted with a bounded number of others', () => {
    let line = EMPTY;
    for (let id = 0; id < 150; id += 1)
      line = schedule(line, { ...PACE, burst: 1_000 }, wishOf(address(String(id))), NOW).line;
    expect(Object.keys(line.turns)).toHaveLength(100);
    expect(line.turns['ip:149']).toBe(1);
  });
});
