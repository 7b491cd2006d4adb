import { SeededRandom } from '../random.js';
import { ByScoreOrder, WorthOrder } from './orders.js';
import { type Measured, play } from './play.js';
import { Names, TURN_WORLDS, WARM_UP_DAYS } from './turn-world.js';

// A fifth of the plain world at a fifth of its pace: drops take as long.
const SMALL = { ...TURN_WORLDS.plain, offers: 12_000, dropsPerDay: 400, ratePerSecond: 0.1 };
const SEED = 11;

function played(earlyFactor: number | null): Measured {
  const names = new Names(SMALL, 1 + WARM_UP_DAYS, SEED);
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
    expect(measured.noticed.max).toBeLessThan(45.5);
    expect(measured.falseTop).toBeLessThan(before.falseTop / 2);
    expect(measured.falseAll).toBeLessThan(before.falseAll);
  });
});
