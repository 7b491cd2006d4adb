import { SCORE_BANDS } from '../../../src/domains/schema/filters/score-bands.js';
import { SeededRandom } from '../random.js';
import { TakenDays, WORLDS } from '../world.js';

/** A made-up world in which the turns of some days are spent. */
export interface TurnWorld {
  readonly title: string;
  /** Older offers at the beginning. */
  readonly offers: number;
  /** Names of older purges that an import brings on the first counted day. */
  readonly backlog: number;
  readonly dropsPerDay: number;
  readonly ratePerSecond: number;
  /** Share of the turns that callers want. */
  readonly callers: number;
  readonly canariesPerDay: number;
  readonly samplesPerDay: number;
  /** Day on which the registry does not answer. */
  readonly outageDay: number | null;
  /** Whether names are caught within minutes of their purge. */
  readonly hasFastCatches: boolean;
  /** Whether takers choose by score. */
  readonly looksAtScores: boolean;
}

const plain: TurnWorld = {
  title: 'plain',
  offers: 60_000,
  backlog: 0,
  dropsPerDay: 2_000,
  ratePerSecond: 0.5,
  callers: 0.02,
  // Two every five minutes, and SAMPLE_PER_DAY.
  canariesPerDay: 576,
  samplesPerDay: 1_000,
  outageDay: null,
  hasFastCatches: true,
  looksAtScores: true,
};
const BACKLOG = 100_000;
const MANY = 700_000;

export const TURN_WORLDS = {
  plain,
  backlog: { ...plain, title: 'backlog of 100,000', backlog: BACKLOG },
  many: { ...plain, title: '700,000 offers', offers: MANY },
  manyBacklog: { ...plain, title: '700,000 offers and backlog', offers: MANY, backlog: BACKLOG },
  wrongBelief: { ...plain, title: 'no fast catches, wrongly believed in', hasFastCatches: false },
  blind: { ...plain, title: 'takers ignore scores', looksAtScores: false },
  callers: { ...plain, title: 'callers 30 %', callers: 0.3 },
  callersBacklog: { ...plain, title: 'callers 30 % and backlog', callers: 0.3, backlog: BACKLOG },
  outage: { ...plain, title: "a day's outage", outageDay: 1 },
  busy: { ...plain, title: '6,000 drops a day', dropsPerDay: 6_000 },
  slow: { ...plain, title: '0.05 questions a second', ratePerSecond: 0.05 },
} satisfies Record<string, TurnWorld>;

const BAND_SHARES_FROM_LOWEST = [0.6, 0.25, 0.1, 0.034, 0.0125, 0.0035];
const CAUGHT_FROM_LOWEST = [0.002, 0.005, 0.02, 0.08, 0.14, 0.2];
const FAST_DAYS = 12 / 1_440;
const SLOW_DAYS = 6 / 24;
const SLOW_SHARE = 0.3;
const OLDEST_DAYS = 548;

/** Days before the first counted one, in which a policy finds its feet; days of purges count from 0 at each purge. */
export const WARM_UP_DAYS = 2;

export class Names {
  readonly size: number;
  readonly band: Uint8Array;
  /** The greater, the better. */
  readonly rank: Float64Array;
  readonly purged: Float64Array;
  readonly taken: Float64Array;
  private readonly takenDays: TakenDays;

  constructor(
    readonly world: TurnWorld,
    readonly days: number,
    seed: number,
  ) {
    const { offers, backlog, dropsPerDay } = world;
    this.size = offers + backlog + dropsPerDay * days;
    this.band = new Uint8Array(this.size);
    this.rank = new Float64Array(this.size);
    this.purged = new Float64Array(this.size);
    this.taken = new Float64Array(this.size);
    const slow = world.looksAtScores ? WORLDS.base : WORLDS.flat;
    this.takenDays = new TakenDays(slow);
    const random = new SeededRandom(seed);
    for (let name = 0; name < this.size; name += 1) {
      const band = drawBand(random);
      const isOlder = name < offers + backlog;
      const purged = isOlder
        ? -WARM_UP_DAYS - 1 - random.next() * OLDEST_DAYS
        : Math.floor((name - offers - backlog) / dropsPerDay) - WARM_UP_DAYS;
      const from = name < offers ? -WARM_UP_DAYS - purged : 0;
      this.band[name] = band;
      this.rank[name] = SCORE_BANDS.length - band + random.next();
      this.purged[name] = purged;
      const slowly = this.takenDays.draw(random, from, band);
      this.taken[name] = purged + Math.min(slowly, isOlder ? Infinity : this.drawCatch(random, band));
    }
  }

  /** The names of a day's purge. */
  dropsOf(day: number): Int32Array {
    const { offers, backlog, dropsPerDay } = this.world;
    return this.byRank(offers + backlog + (day + WARM_UP_DAYS) * dropsPerDay, dropsPerDay);
  }

  get backlog(): Int32Array {
    return this.byRank(this.world.offers, this.world.backlog);
  }

  /** The chance that a name is taken at `now` that was free at `then`. */
  falseChance(name: number, then: number, now: number): number {
    const [band = 0, purged = 0] = [this.band[name], this.purged[name]];
    const [before, after] = [Math.max(0, then - purged), Math.max(0, now - purged)];
    const slow = this.takenDays.hazardUpTo(after, band) - this.takenDays.hazardUpTo(before, band);
    const caught = after > 3 ? 1 : this.uncaught(band, after) / this.uncaught(band, before);
    return 1 - Math.exp(-slow) * caught;
  }

  private uncaught(band: number, age: number): number {
    const caught = this.caughtShare(band);
    return (
      1 - caught * (1 - Math.exp(-age / FAST_DAYS)) - SLOW_SHARE * caught * (1 - Math.exp(-age / SLOW_DAYS))
    );
  }

  private caughtShare(band: number): number {
    const { hasFastCatches, looksAtScores } = this.world;
    if (!hasFastCatches) return 0;
    const place = SCORE_BANDS.length - 1 - band;
    if (looksAtScores) return CAUGHT_FROM_LOWEST[place] ?? 0;
    return CAUGHT_FROM_LOWEST.reduce(
      (sum, one, other) => sum + one * (BAND_SHARES_FROM_LOWEST[other] ?? 0),
      0,
    );
  }

  private drawCatch(random: SeededRandom, band: number): number {
    const [lot, caught] = [random.next(), this.caughtShare(band)];
    if (lot < caught) return random.nextExponential() * FAST_DAYS;
    return lot < caught * (1 + SLOW_SHARE) ? random.nextExponential() * SLOW_DAYS : Infinity;
  }

  private byRank(from: number, count: number): Int32Array {
    const names = Int32Array.from({ length: count }, (_, place) => from + place);
    return names.sort((a, b) => (this.rank[b] ?? 0) - (this.rank[a] ?? 0));
  }
}

function drawBand(random: SeededRandom): number {
  let left = random.next();
  for (const [place, share] of BAND_SHARES_FROM_LOWEST.entries()) {
    left -= share;
    if (left < 0) return SCORE_BANDS.length - 1 - place;
  }
  return 0;
}
