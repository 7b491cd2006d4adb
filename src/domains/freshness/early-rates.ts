import { SCORE_BANDS } from '../schema/filters/score-bands.js';
import { ageBucketOf, cellOf, endOfBucket, posteriorRate, priorRate, startOfBucket } from './rate-table.js';

const MINUTES_A_DAY = 1_440;

/** Minutes since the purge at which the buckets of the first two days begin: catchers are at work in the first ones. */
export const EARLY_MINUTES: readonly number[] = [0, 10, 20, 40, 60, 120, 240, 480, 1_440];
/** The same in days, the unit of all rates. */
export const EARLY_STARTS = EARLY_MINUTES.map((minutes) => minutes / MINUTES_A_DAY);
/** From then on the table of days holds. */
export const EARLY_DAYS = 2;
export const EARLY_CELLS = SCORE_BANDS.length * EARLY_STARTS.length;

// What catchers take within the first hour, from the lowest band to the highest: half of the first day's catches, and
// nearly all of the best names' (research only gives the sum; the shape is a guess that our own answers replace).
const FIRST_HOUR_FROM_LOWEST = [0.003, 0.005, 0.015, 0.04, 0.07, 0.1];
const FAST_DAYS = 15 / MINUTES_A_DAY;
/** Buyers who look through a day's drops are slower, and fewer. */
const SLOW_DAYS = 6 / 24;
const SLOW_SHARE = 0.3;

/** Takings that the belief is worth that a suffix does not differ from the others. */
const SUFFIX_PRIOR = 10;

/** What our own answers say of a cell, in a suffix. */
export interface EarlyEvidence {
  readonly suffix: string;
  readonly cell: number;
  readonly exposureDays: number;
  readonly taken: number;
}

export function isEarly(ageDays: number): boolean {
  return ageDays < EARLY_DAYS;
}

/** Chance a day that a name is caught, before any observation; one number a cell. */
export function earlyPrior(factor = 1): Float64Array<ArrayBuffer> {
  const table = new Float64Array(EARLY_CELLS);
  SCORE_BANDS.forEach((_, band) => {
    const caught = FIRST_HOUR_FROM_LOWEST[SCORE_BANDS.length - 1 - band] ?? 0;
    EARLY_STARTS.forEach((start, bucket) => {
      const end = Math.min(EARLY_DAYS, endOfBucket(bucket, EARLY_STARTS));
      const share = (days: number) => Math.exp(-start / days) - Math.exp(-end / days);
      const early = (caught * (share(FAST_DAYS) + SLOW_SHARE * share(SLOW_DAYS))) / (end - start);
      table[cellOf(bucket, band, EARLY_STARTS)] = factor * (early + priorRate(ageBucketOf(start), band) / 2);
    });
  });
  return table;
}

/** The rates of the first two days, by minutes since the purge, band of scores and suffix. */
export class EarlyRates {
  /** The chance of having been taken by the beginning of a bucket, and its integral over the time until then. */
  private readonly hazard = new Float64Array(EARLY_CELLS);
  private readonly area = new Float64Array(EARLY_CELLS);

  /** @param suffixFactors by which the rates of a suffix differ from those of all; 1 where none is given */
  constructor(
    readonly rates: Float64Array<ArrayBuffer>,
    private readonly suffixFactors: ReadonlyMap<string, number> = new Map(),
  ) {
    SCORE_BANDS.forEach((_, band) => {
      let [hazard, area] = [0, 0];
      EARLY_STARTS.forEach((start, bucket) => {
        const cell = cellOf(bucket, band, EARLY_STARTS);
        const days = endOfBucket(bucket, EARLY_STARTS) - start;
        this.hazard[cell] = hazard;
        this.area[cell] = area;
        area += hazard * days + ((rates[cell] ?? 0) * days ** 2) / 2;
        hazard += (rates[cell] ?? 0) * days;
      });
    });
  }

  /** Rates of all suffixes together, by cell, and how each suffix differs from them in all its cells. */
  static learned(prior: Float64Array<ArrayBuffer>, evidence: readonly EarlyEvidence[]): EarlyRates {
    const [exposureDays, taken] = [new Float64Array(EARLY_CELLS), new Float64Array(EARLY_CELLS)];
    for (const one of evidence) {
      exposureDays[one.cell] = (exposureDays[one.cell] ?? 0) + one.exposureDays;
      taken[one.cell] = (taken[one.cell] ?? 0) + one.taken;
    }
    const rates = prior.map((rate, cell) =>
      posteriorRate(rate, { exposureDays: exposureDays[cell] ?? 0, taken: taken[cell] ?? 0 }),
    );
    const suffixes = new Map<string, { taken: number; expected: number }>();
    for (const one of evidence) {
      const sum = suffixes.get(one.suffix) ?? { taken: SUFFIX_PRIOR, expected: SUFFIX_PRIOR };
      sum.taken += one.taken;
      sum.expected += one.exposureDays * (rates[one.cell] ?? 0);
      suffixes.set(one.suffix, sum);
    }
    return new EarlyRates(
      rates,
      new Map([...suffixes].map(([suffix, sum]) => [suffix, sum.taken / sum.expected])),
    );
  }

  /**
   * For how many days a name that was free at one age has been offered falsely by another one, on average: the chance
   * that it is taken, summed up over the time. For the small chances of an hour the sum of the rates is near enough.
   */
  falseDays(band: number, ageAtAnswer: number, age: number, suffix = ''): number {
    const from = Math.max(0, ageAtAnswer);
    if (age <= from) return 0;
    const [before, now] = [this.upTo(band, from), this.upTo(band, age)];
    const days = now.area - before.area - before.hazard * (age - from);
    return Math.max(0, days * (this.suffixFactors.get(suffix) ?? 1));
  }

  private upTo(band: number, age: number): { hazard: number; area: number } {
    const bucket = ageBucketOf(age, EARLY_STARTS);
    const cell = cellOf(bucket, band, EARLY_STARTS);
    const [rate = 0, hazard = 0, area = 0] = [this.rates[cell], this.hazard[cell], this.area[cell]];
    const days = age - startOfBucket(bucket, EARLY_STARTS);
    return { hazard: hazard + rate * days, area: area + hazard * days + (rate * days ** 2) / 2 };
  }
}
