import { SCORE_BANDS } from '../../src/domains/schema/filters/score-bands.js';
import type { SeededRandom } from './random.js';

/** How the takers of a made-up world choose. Bands are places in SCORE_BANDS, 0 the highest. */
export interface World {
  readonly title: string;
  /** Chance a day that a free name of factor 1 is taken. */
  rate(ageDays: number): number;
  /** By which the rate is multiplied. */
  bandFactor(band: number): number;
  /** What the policy's prior is multiplied by: 1 where it is as written. */
  readonly priorFactor: number;
  readonly bursts: boolean;
}

const FACTORS_FROM_LOWEST = [0.4, 0.7, 1.5, 3, 7, 15];
const byScore = (band: number) => FACTORS_FROM_LOWEST[SCORE_BANDS.length - 1 - band] ?? 1;
// The chance of a whole day, as the research gives it: the same from its beginning to its end.
const waning = (power: number) => (ageDays: number) => 0.012 / (1 + Math.floor(ageDays)) ** power;

const base: World = {
  title: 'base',
  rate: waning(1.1),
  bandFactor: byScore,
  priorFactor: 1,
  bursts: false,
};

const SECOND_WAVE_DAY = 365;
const NEWEST_DAYS = 30;

/** The worlds of the requirement, and what they are for: a policy is only good if it also wins where takers choose otherwise. */
export const WORLDS = {
  base,
  flat: { ...base, title: 'takers who do not look at scores', bandFactor: () => 1 },
  newest: {
    ...base,
    title: 'only the newest (nothing is taken after 30 days)',
    rate: (ageDays: number) => (ageDays < NEWEST_DAYS ? base.rate(ageDays) : 0),
  },
  square: { ...base, title: 'only the newest (falls with the square of the age)', rate: waning(2) },
  wave: {
    ...base,
    title: 'a second wave of twenty times the rate after a year',
    rate: (ageDays: number) => base.rate(ageDays) * (ageDays < SECOND_WAVE_DAY ? 1 : 20),
  },
  slow: { ...base, title: 'a slow decay (power 0.7)', rate: waning(0.7) },
  priorHigh: { ...base, title: 'a prior of five times too much', priorFactor: 5 },
  priorLow: { ...base, title: 'a prior of five times too little', priorFactor: 0.2 },
  bursts: { ...base, title: 'bursts by theme', bursts: true },
} satisfies Record<string, World>;

const GRID_STEPS = 4_000;
const GRID_END_DAYS = 1_200;

/** Draws when a name will be taken, by inverting the integral of the world's rate over the age. */
export class TakenDays {
  private readonly ages = new Float64Array(GRID_STEPS + 1);
  private readonly hazard = new Float64Array(GRID_STEPS + 1);

  constructor(private readonly world: World) {
    for (let step = 1; step <= GRID_STEPS; step += 1) {
      // Finer where the rate changes fast: at the beginning.
      const age = (1 + GRID_END_DAYS) ** (step / GRID_STEPS) - 1;
      const before = this.ages[step - 1] ?? 0;
      this.ages[step] = age;
      this.hazard[step] = (this.hazard[step - 1] ?? 0) + world.rate((age + before) / 2) * (age - before);
    }
  }

  /** What a name of the band has survived at that age: the integral of its rates. */
  hazardUpTo(ageDays: number, band: number): number {
    return this.upTo(ageDays) * this.world.bandFactor(band);
  }

  /** The age at which a name that is free at `ageDays` is taken; Infinity: not in this simulation. */
  draw(random: SeededRandom, ageDays: number, band: number): number {
    const target = this.upTo(ageDays) + random.nextExponential() / this.world.bandFactor(band);
    if (target >= (this.hazard[GRID_STEPS] ?? 0)) return Infinity;
    return interpolate(this.hazard, this.ages, target);
  }

  /** The place on the grid is known, which saves a search. */
  private upTo(ageDays: number): number {
    const place = Math.floor((GRID_STEPS * Math.log1p(Math.max(0, ageDays))) / Math.log1p(GRID_END_DAYS));
    const low = Math.min(GRID_STEPS - 1, place);
    return between(this.ages, this.hazard, low, ageDays);
  }
}

function interpolate(from: Float64Array, to: Float64Array, value: number): number {
  let low = 0;
  let high = from.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((from[middle] ?? 0) <= value) low = middle;
    else high = middle;
  }
  return between(from, to, low, value);
}

function between(from: Float64Array, to: Float64Array, low: number, value: number): number {
  const high = low + 1;
  const [start = 0, end = 0] = [from[low], from[high]];
  const share = end > start ? (value - start) / (end - start) : 0;
  return (to[low] ?? 0) + share * ((to[high] ?? 0) - (to[low] ?? 0));
}
