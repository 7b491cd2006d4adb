import { SCORE_BANDS } from '../schema/filters/score-bands.js';

/**
 * Chance a day that a free name is taken, one number a cell (see {@link cellOf}). Never 0: an unseen event may
 * still happen, and a name of a rate of 0 would never be asked again.
 */
export type RateTable = Float64Array<ArrayBuffer>;

/** What our own answers say of a cell. */
export interface CellEvidence {
  /** Days that names were free, or must be taken to have been, between two answers about them. */
  readonly exposureDays: number;
  /** How many were found taken; a fraction where the time between two answers lies in several cells. */
  readonly taken: number;
}

// 1 to 3 % of dropped .au names are caught on their first day, by the drop catchers' own figures.
const FIRST_DAY_RATE = 0.02;
// From the lowest band to the highest. Only the direction is known: buyers take names with a history first.
const BAND_FACTORS_FROM_LOWEST = [0.5, 0.7, 1, 1.5, 2.5, 4];
// The open bucket's rate is taken where a bucket as long as the ones before it would end.
const OPEN_BUCKET_GROWTH = 2;

/**
 * How many takings the prior is worth. Low, as most of it is a guess: twenty takings of our own outweigh it ten
 * times. Not lower, as a cell with one taking in its first ten answers would then be asked of all day.
 */
export const PRIOR_TAKINGS = 2;

/**
 * The rate before any observation. No rates by age are published, so the first day's is taken to fall as
 * 1 / (1 + days), which says that as many are taken between day 8 and 16 as between 16 and 32: a slow fall, since
 * names of a rate that is believed too low are found out later than names of one that is believed too high.
 */
export function priorRate(ageBucket: number, band: number): number {
  const start = startOfBucket(ageBucket);
  const end = Number.isFinite(endOfBucket(ageBucket)) ? endOfBucket(ageBucket) : start * OPEN_BUCKET_GROWTH;
  // The mean of 1 / (1 + days) over the bucket.
  const fall = Math.log((1 + end) / (1 + start)) / (end - start);
  const factor = BAND_FACTORS_FROM_LOWEST[SCORE_BANDS.length - 1 - band] ?? 1;
  return FIRST_DAY_RATE * factor * fall;
}

/** The mean of the Gamma distribution that the prior and the evidence of a cell make together. */
export function posteriorRate(prior: number, { exposureDays, taken }: CellEvidence): number {
  return (PRIOR_TAKINGS + taken) / (PRIOR_TAKINGS / prior + exposureDays);
}

// Of the normal distribution: 2.5 % lie on either side.
const Z_95 = 1.959964;

/** Where the rate of a cell lies with 95 %, by Wilson and Hilferty's approximation of the Gamma distribution. */
export function posteriorInterval(
  prior: number,
  { exposureDays, taken }: CellEvidence,
): { low: number; high: number } {
  const shape = PRIOR_TAKINGS + taken;
  const days = PRIOR_TAKINGS / prior + exposureDays;
  const spread = 1 / (9 * shape);
  const quantile = (z: number) => (shape * (1 - spread + z * Math.sqrt(spread)) ** 3) / days;
  return { low: quantile(-Z_95), high: quantile(Z_95) };
}

/** The table of prior rates, in a copy of its own. */
export function priorTable(): RateTable {
  const table = new Float64Array(RATE_CELLS);
  SCORE_BANDS.forEach((_, band) => {
    for (let bucket = 0; bucket < AGE_BUCKETS; bucket += 1) {
      table[cellOf(bucket, band)] = priorRate(bucket, band);
    }
  });
  return table;
}

/**
 * @param prior one rate a cell
 * @param exposureDays and taken: one number a cell, of the same order
 */
export function posteriorTable(prior: RateTable, exposureDays: Float64Array, taken: Float64Array): RateTable {
  return prior.map((rate, cell) =>
    posteriorRate(rate, { exposureDays: exposureDays[cell] ?? 0, taken: taken[cell] ?? 0 }),
  );
}

/**
 * Days since the drop at which the buckets of age begin; the last has no end. Each is half or a third of its
 * beginning long, because the interest of buyers wanes: a day matters in the first week and not in the second year.
 * With buckets of twice the length, a tenth more offers were false in the simulation.
 */
export const AGE_BUCKET_STARTS: readonly number[] = [
  0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
];

export const AGE_BUCKETS = AGE_BUCKET_STARTS.length;

/** A cell of the table of rates is a bucket of age in a band of scores; cells are numbered band by band. */
export const RATE_CELLS = SCORE_BANDS.length * AGE_BUCKETS;

/** The place in {@link SCORE_BANDS} of the band that holds the score; 0 is the highest band. */
export function bandOf(wayback: number): number {
  return SCORE_BANDS.findIndex(({ from }) => wayback >= from);
}

/** @param ageDays since the drop; less than nothing counts as nothing */
export function ageBucketOf(ageDays: number, starts = AGE_BUCKET_STARTS): number {
  let bucket = starts.length - 1;
  while (bucket > 0 && startOfBucket(bucket, starts) > ageDays) bucket -= 1;
  return bucket;
}

export function startOfBucket(bucket: number, starts = AGE_BUCKET_STARTS): number {
  return starts[bucket] ?? 0;
}

/** Infinity for the last bucket. */
export function endOfBucket(bucket: number, starts = AGE_BUCKET_STARTS): number {
  return starts[bucket + 1] ?? Infinity;
}

export function cellOf(ageBucket: number, band: number, starts = AGE_BUCKET_STARTS): number {
  return band * starts.length + ageBucket;
}

/** What one answer adds to the evidence of a cell. */
export interface EvidenceShare {
  readonly cell: number;
  readonly exposureDays: number;
  readonly taken: number;
}

/**
 * What an answer says about the rates: a name that is still free was free all the time since its last answer, in
 * each of the cells that it went through. A name found taken was taken at an unknown moment in between; it is
 * shared out as the rates that are believed so far have it (one step of expectation and maximisation, which a day's
 * many answers repeat). Counting it whole in its last cell would make old names look the more dangerous the longer
 * they go unasked.
 *
 * @param ageDays of the name at its last answer
 * @param daysUnasked from that answer to this one
 */
export function evidenceOf(
  rates: RateTable,
  band: number,
  ageDays: number,
  daysUnasked: number,
  taken: boolean,
  starts = AGE_BUCKET_STARTS,
): EvidenceShare[] {
  const parts = [...rateIntervals(rates, band, ageDays, daysUnasked, starts)];
  if (!taken) return parts.map(({ cell, from, to }) => ({ cell, exposureDays: to - from, taken: 0 }));
  const chances = parts.map((part) => -part.survival * Math.expm1(-part.rate * (part.to - part.from)));
  const whole = chances.reduce((sum, chance) => sum + chance, 0);
  let later = 1;
  return parts.map((part, place) => {
    const here = whole > 0 ? (chances[place] ?? 0) / whole : 1 / parts.length;
    later -= here;
    const exposureDays = here * meanDaysBefore(part) + Math.max(0, later) * (part.to - part.from);
    return { cell: part.cell, exposureDays, taken: here };
  });
}

/** The chance that a name is found taken so many days after an answer that it is free. */
export function chanceTaken(rates: RateTable, band: number, ageDays: number, daysUnasked: number): number {
  const parts = [...rateIntervals(rates, band, ageDays, daysUnasked, AGE_BUCKET_STARTS)];
  return -Math.expm1(-parts.reduce((hazard, { rate, from, to }) => hazard + rate * (to - from), 0));
}

/** A part of the time since the last answer in which the rate does not change; days count from that answer. */
interface RateInterval {
  readonly cell: number;
  readonly rate: number;
  readonly from: number;
  readonly to: number;
  /** The chance that the name was still free when the interval began. */
  readonly survival: number;
}

/** @param ageDays of the name at its last answer; less than nothing (clocks differ) counts as nothing */
function* rateIntervals(
  rates: RateTable,
  band: number,
  ageDays: number,
  daysUnasked: number,
  starts: readonly number[],
): Generator<RateInterval> {
  const age = Math.max(0, ageDays);
  let from = 0;
  let survival = 1;
  for (let bucket = ageBucketOf(age, starts); from < daysUnasked; bucket += 1) {
    const to = Math.min(daysUnasked, endOfBucket(bucket, starts) - age);
    const cell = cellOf(bucket, band, starts);
    const rate = rates[cell] ?? 0;
    yield { cell, rate, from, to, survival };
    survival *= Math.exp(-rate * (to - from));
    from = to;
  }
}

const SMALL_EXPONENT = 1e-6;

/** How long a name that is taken within the interval was free in it, on average. */
function meanDaysBefore({ rate, from, to }: RateInterval): number {
  const days = to - from;
  const exponent = rate * days;
  // Close to an even chance all through, where the closed form is a difference of two great numbers.
  if (exponent < SMALL_EXPONENT) return days / 2;
  return 1 / rate - days / Math.expm1(exponent);
}
