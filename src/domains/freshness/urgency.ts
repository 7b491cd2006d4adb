import { SCORE_BANDS } from '../schema/filters/score-bands.js';
import { ageBucketOf, cellOf, endOfBucket, type RateTable } from './rate-table.js';

/**
 * Longest time between two questions about a name, in days: about a thousand, so that every search for a moment
 * ends.
 */
export const MAX_DAYS_UNASKED = 1_000;

/** A second: names are due to the second. */
const PRECISION_DAYS = 1 / 86_400;
/** Below this the closed form loses more digits than the first terms of its series lack. */
const SMALL_EXPONENT = 1e-3;

/**
 * w U(t) of Olston and Pandey (Recrawl scheduling based on information longevity, WWW 2008): what a question about
 * the name is worth t days after the last. For one rate, U(t) = 1/λ - (t + 1/λ) e^(-λt), which is the integral of s
 * λ e^(-λs) from 0 to t; here λ changes with the name's age, and the integral is put together from the buckets of
 * age that the time lies in. It only ever rises with t.
 *
 * @param ageDays of the name at its last answer, since its drop
 * @param daysUnasked since that answer
 */
export function urgency(rates: RateTable, band: number, ageDays: number, daysUnasked: number): number {
  let worth = 0;
  for (const interval of rateIntervals(rates, band, ageDays, daysUnasked)) {
    worth += interval.survival * worthOf(interval.rate, interval.from, interval.to - interval.from);
  }
  return showWeight(band) * worth;
}

/**
 * After how many days {@link urgency} reaches the threshold; at most {@link MAX_DAYS_UNASKED}.
 *
 * @param ageDays of the name at its last answer
 * @param threshold the least worth of a question for which one is asked
 */
export function daysUntilAsked(rates: RateTable, band: number, ageDays: number, threshold: number): number {
  const age = Math.max(0, ageDays);
  let missing = threshold / showWeight(band);
  let from = 0;
  // The rateIntervals of the function below, without an object for each: this is done for every name of a sweep.
  for (let bucket = ageBucketOf(age); from < MAX_DAYS_UNASKED; bucket += 1) {
    const rate = rates[cellOf(bucket, band)] ?? 0;
    const length = Math.min(MAX_DAYS_UNASKED, endOfBucket(bucket) - age) - from;
    const worth = worthOf(rate, from, length);
    if (worth >= missing) return from + daysUntilWorth(rate, from, length, missing);
    // Later days count only as far as the name was still free by then.
    missing = (missing - worth) / Math.exp(-rate * length);
    from += length;
  }
  return MAX_DAYS_UNASKED;
}

/** A part of the time since the last answer in which the rate does not change; days count from that answer. */
export interface RateInterval {
  readonly cell: number;
  readonly rate: number;
  readonly from: number;
  readonly to: number;
  /** The chance that the name was still free when the interval began. */
  readonly survival: number;
}

/** @param ageDays of the name at its last answer; less than nothing (clocks differ) counts as nothing */
export function* rateIntervals(
  rates: RateTable,
  band: number,
  ageDays: number,
  daysUnasked: number,
): Generator<RateInterval> {
  const age = Math.max(0, ageDays);
  let from = 0;
  let survival = 1;
  for (let bucket = ageBucketOf(age); from < daysUnasked; bucket += 1) {
    const to = Math.min(daysUnasked, endOfBucket(bucket) - age);
    const cell = cellOf(bucket, band);
    const rate = rates[cell] ?? 0;
    yield { cell, rate, from, to, survival };
    survival *= Math.exp(-rate * (to - from));
    from = to;
  }
}

/** The integral of s λ e^(-λ (s - from)), over so many days from `from` on. */
function worthOf(rate: number, from: number, days: number): number {
  const exponent = rate * days;
  return -from * Math.expm1(-exponent) + timeTaken(exponent) / rate;
}

/** 1 - (1 + x) e^(-x) */
function timeTaken(x: number): number {
  if (x < SMALL_EXPONENT) return (x * x) / 2 - (x * x * x) / 3;
  return -Math.expm1(-x) - x * Math.exp(-x);
}

/**
 * The days from `from` on after which the missing worth is there. Newton's steps, which need two or three where
 * halving needs twenty, kept between the limits that are known so far.
 */
function daysUntilWorth(rate: number, from: number, length: number, missing: number): number {
  let early = 0;
  let late = length;
  // Exact where the name is surely still free.
  let days = Math.sqrt(from * from + (2 * missing) / rate) - from;
  for (;;) {
    if (!(days > early && days < late)) days = (early + late) / 2;
    const excess = worthOf(rate, from, days) - missing;
    if (excess < 0) early = days;
    else late = days;
    const step = excess / ((from + days) * rate * Math.exp(-rate * days));
    days -= step;
    if (Math.abs(step) < PRECISION_DAYS || late - early < PRECISION_DAYS)
      return Math.min(late, days + PRECISION_DAYS);
  }
}

// From the lowest band to the highest. Answers are ranked by score, so a name is shown the more often the fewer are
// above it; each band holds a few times fewer names than the one below it and is shown about as often in all.
const WEIGHTS_FROM_LOWEST = [1, 3, 10, 40, 150, 600];

/**
 * How often a name of each band is shown, relative to one of the lowest: the cost of a day on which it is offered
 * and taken. In the order of {@link SCORE_BANDS}.
 */
export const SHOW_WEIGHTS: readonly number[] = SCORE_BANDS.map(
  (_, band) => WEIGHTS_FROM_LOWEST[SCORE_BANDS.length - 1 - band] ?? 1,
);

export function showWeight(band: number): number {
  return SHOW_WEIGHTS[band] ?? 1;
}
