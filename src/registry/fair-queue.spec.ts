import fc from 'fast-check';
import {
  schedule,
  EMPTY_LINE,
  isJob,
  type JobAsker,
  type TurnAsker,
  type FairQueue,
  type TurnWish,
} from './fair-queue.js';

/** A turn every two seconds, thirty a minute; a quarter of them are seven. */
const PACE = { ratePerSecond: 0.5, burst: 1, maxWaitMs: 4_000 };
const GAP_MS = 2_000;
const NOW = Date.parse('2026-11-20T10:00:00Z');
const EMPTY: FairQueue = { ...EMPTY_LINE, fullAt: 0 };

const account = (id: string): TurnAsker => ({ id: `account:${id}`, tier: { keyRequired: true } });
const address = (id: string): TurnAsker => ({ id: `ip:${id}`, tier: { keyRequired: false } });

let places = 0;
const wishOf = (by: TurnAsker, maxWaitMs = 1e9): TurnWish =>
  isJob(by) ? { id: by, by, maxWaitMs: 0 } : { id: `place-${++places}`, by, maxWaitMs };

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
    expect(schedule(line, PACE, wishOf('queues'), NOW + GAP_MS)).toMatchObject({
      granted: false,
      waitMs: GAP_MS,
    });
  });
});

describe('beside a flood of callers', () => {
  /** Of so many turns, those of each job; a job comes back when it was told to. */
  function flooded(jobs: readonly JobAsker[], turns: number, burst = 1): Partial<Record<JobAsker, number>> {
    const pace = { ...PACE, burst };
    const spent: Partial<Record<JobAsker, number>> = {};
    const due = new Map(jobs.map((job) => [job, NOW]));
    let callers = Array.from({ length: 3 }, () => wishOf(account('flood')));
    let line = EMPTY;
    for (let now = NOW; now < NOW + turns * GAP_MS; now += 500) {
      callers = callers.map((wish) => {
        const decision = schedule(line, pace, wish, now);
        line = decision.line;
        return decision.granted ? wishOf(wish.by) : wish;
      });
      for (const [job, at] of due) {
        if (at > now) continue;
        const decision = schedule(line, pace, wishOf(job), now);
        line = decision.line;
        due.set(job, now + decision.waitMs);
        if (decision.granted) spent[job] = (spent[job] ?? 0) + 1;
      }
    }
    return spent;
  }

  it.each([1, 5])('the queues have a fifth of the turns, where %d fit into the bucket', (burst) => {
    const { queues = 0 } = flooded(['queues'], 1_000, burst);
    expect(queues).toBeGreaterThan(180);
    expect(queues).toBeLessThan(205);
  });

  it('the sample has its share beside the queues', () => {
    const { queues = 0, sample = 0 } = flooded(['queues', 'sample'], 1_000);
    expect(sample).toBeGreaterThan(40);
    expect(sample).toBeLessThan(55);
    expect(queues).toBeGreaterThan(180);
  });

  it('a round of canaries comes first', () => {
    let { line } = schedule(EMPTY, PACE, wishOf('service'), NOW);
    line = { ...line, credits: { canary: 2, sample: 0, queues: 0 } };
    for (const id of ['1', '2']) line = schedule(line, PACE, wishOf(account(id)), NOW).line;
    expect(schedule(line, PACE, wishOf('canary'), NOW)).toMatchObject({ waitMs: GAP_MS });
  });
});

describe('a job', () => {
  it('that is owed no turn leaves one in the bucket, and is counted before no caller', () => {
    const pace = { ...PACE, burst: 2 };
    let { line } = schedule(EMPTY, pace, wishOf('queues'), NOW);
    const refused = schedule(line, pace, wishOf('queues'), NOW);
    expect(refused).toMatchObject({ granted: false, waitMs: GAP_MS, retryMs: null });
    line = refused.line;
    expect(schedule(line, pace, wishOf(address('1')), NOW).granted).toBe(true);
  });

  it('that has died holds up no caller for longer than a second', () => {
    let { line } = schedule(EMPTY, PACE, wishOf('service'), NOW);
    line = { ...line, credits: { canary: 0, sample: 0, queues: 2 } };
    line = schedule(line, PACE, wishOf('queues'), NOW).line;
    const wish = wishOf(account('1'));
    line = schedule(line, PACE, wish, NOW).line;
    expect(schedule(line, PACE, wish, NOW + GAP_MS).granted).toBe(false);
    expect(schedule(line, PACE, wish, NOW + GAP_MS + 1_001).granted).toBe(true);
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
