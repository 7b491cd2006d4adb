import { secondsUntilEmpty } from '../../../src/domains/freshness/turn-forecast.js';
import { SeededRandom } from '../random.js';
import { ByScoreOrder } from './orders.js';
import { type Measured, play } from './play.js';
import { Names, TURN_WORLDS, type TurnWorld, WARM_UP_DAYS } from './turn-world.js';
import { WorthOrder } from './worth-order.js';

// A tenth of the plain world at a tenth of its pace: drops take as long.
const SMALL = {
  ...TURN_WORLDS.plain,
  ...{ offers: 6_000, dropsPerDay: 200, ratePerSecond: 0.05, canariesPerDay: 58, samplesPerDay: 100 },
};
const SEED = 11;

function played(earlyFactor: number | null, world: TurnWorld = SMALL): Measured {
  const names = new Names(world, 1 + WARM_UP_DAYS, SEED);
  const random = new SeededRandom(SEED);
  const order =
    earlyFactor === null
      ? new ByScoreOrder(names, random, 0.9, -WARM_UP_DAYS)
      : new WorthOrder(names, random, 0.6, -WARM_UP_DAYS, { earlyFactor });
  return play(names, order, SEED);
}

describe("the service's order of questions, played through three days", () => {
  const before = played(null);

  it.each([
    ['as believed', 1],
    ['believed three times too much', 3],
    ['believed three times too little', 1 / 3],
  ])('keeps its promises where hazards are %s', (_, factor) => {
    const measured = played(factor);
    expect(measured.confirmed).toBeLessThan(75);
    expect(measured.retryLate.p999).toBeLessThan(5);
    expect(measured.noticed.median).toBeLessThan(20);
    expect(measured.noticed.p999).toBeLessThan(46);
    expect(measured.falseTop).toBeLessThan(before.falseTop / 2);
    expect(measured.falseAll).toBeLessThan(before.falseAll);
  });
});

it('keeps the promise of the median where takers ignore scores', () => {
  expect(played(1, { ...SMALL, looksAtScores: false }).noticed.median).toBeLessThan(20);
});

it("answers the day's drops within six hours while callers want every turn", () => {
  const { confirmed, turns } = played(1, { ...SMALL, callers: 1 });
  expect(confirmed).toBeLessThan(360);
  expect(turns.caller).toBeGreaterThan(0.75);
  expect(turns.sample).toBeGreaterThan(0.02);
});

describe.each([0.02, 0.3])('the forecast of when queues are empty, with callers at %d', (callers) => {
  // Some hundred turns are owed to a backlog at times, which is little after six days.
  const DAYS = 6;
  const world = { ...SMALL, offers: 12_000, backlog: 20_000, callers };
  const names = new Names(world, DAYS + WARM_UP_DAYS, SEED);
  const order = new WorthOrder(names, new SeededRandom(SEED), 0.6, -WARM_UP_DAYS, { earlyFactor: 1 });
  const measured = play(names, order, SEED);
  const { caller = 0, canary = 0, sample = 0 } = measured.turns;
  const expected = secondsUntilEmpty({
    lengths: { drops: world.dropsPerDay, repeat: 0, retry: 0, recheck: 0, backlog: world.backlog },
    perSecond: world.ratePerSecond * (1 - caller - canary - sample),
    sinceDropSeconds: 0,
    dropsPerDay: world.dropsPerDay,
  });

  it('is within 1 % for the backlog', () => {
    const perDay = world.backlog / ((expected.backlog ?? NaN) / 86_400);
    expect(measured.backlogPerDay / perDay).toBeGreaterThan(0.99);
    expect(measured.backlogPerDay / perDay).toBeLessThan(1.01);
  });

  it("is within 5 % for the day's drops", () => {
    const minutes = (expected.drops ?? NaN) / 60;
    expect(measured.confirmed / minutes).toBeGreaterThan(0.95);
    expect(measured.confirmed / minutes).toBeLessThan(1.05);
  });
});
