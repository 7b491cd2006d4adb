import { ageBucketOf, cellOf, endOfBucket } from './rate-cells.js';
import type { RateTable } from './rate-table.js';
import { showWeight } from './show-weights.js';

/** Longest time between two questions about a name, in days: about a thousand, so that every search for a moment ends. */
export const MAX_DAYS_UNASKED = 1_000;

const BISECTION_STEPS = 30;
/** Below this the closed form loses more digits than the first terms of its series lack. */
const SMALL_EXPONENT = 1e-3;

/**
 * w U(t) of Olston and Pandey (Recrawl scheduling based on information longevity, WWW 2008): what a question about the name is
 * worth t days after the last. For one rate, U(t) = 1/λ - (t + 1/λ) e^(-λt), which is the integral of s λ e^(-λs) from 0 to t;
 * here λ changes with the name's age, and the integral is put together from the buckets of age that the time lies in. It
 * only ever rises with t.
 *
 * @param ageDays of the name at its last answer, since its drop
 * @param daysUnasked since that answer
 */
export function urgency(rates: RateTable, band: number, ageDays: number, daysUnasked: number): number {
  let worth = 0;
  for (const stretch of stretches(rates, band, ageDays, daysUnasked)) {
    worth += stretch.survival * worthOf(stretch, stretch.to - stretch.from);
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
  let missing = threshold / showWeight(band);
  for (const stretch of stretches(rates, band, ageDays, MAX_DAYS_UNASKED)) {
    const length = stretch.to - stretch.from;
    const worth = stretch.survival * worthOf(stretch, length);
    if (worth >= missing) return stretch.from + bisect(stretch, length, missing);
    missing -= worth;
  }
  return MAX_DAYS_UNASKED;
}

/** A part of the time since the last answer in which the rate does not change; days count from that answer. */
export interface Stretch {
  readonly cell: number;
  readonly rate: number;
  readonly from: number;
  readonly to: number;
  /** The chance that the name was still free when the stretch began. */
  readonly survival: number;
}

/** @param ageDays of the name at its last answer; less than nothing (clocks differ) counts as nothing */
export function* stretches(
  rates: RateTable,
  band: number,
  ageDays: number,
  daysUnasked: number,
): Generator<Stretch> {
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

/** The integral of s λ e^(-λ (s - from)) over the first `days` of the stretch. */
function worthOf({ rate, from }: Stretch, days: number): number {
  const exponent = rate * days;
  return -from * Math.expm1(-exponent) + timeTaken(exponent) / rate;
}

/** 1 - (1 + x) e^(-x) */
function timeTaken(x: number): number {
  if (x < SMALL_EXPONENT) return (x * x) / 2 - (x * x * x) / 3;
  return -Math.expm1(-x) - x * Math.exp(-x);
}

function bisect(stretch: Stretch, length: number, missing: number): number {
  let early = 0;
  let late = length;
  for (let step = 0; step < BISECTION_STEPS; step += 1) {
    const middle = (early + late) / 2;
    if (stretch.survival * worthOf(stretch, middle) < missing) early = middle;
    else late = middle;
  }
  return late;
}
