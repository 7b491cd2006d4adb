import { SCORE_BANDS } from '../schema/filters/score-bands.js';

/**
 * Days since the drop at which the buckets of age begin; the last has no end. Each is half or a third of its beginning long,
 * because what is known of takers is that their interest wanes: a day matters in the first week and not in the second year.
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
export function ageBucketOf(ageDays: number): number {
  let bucket = AGE_BUCKETS - 1;
  while (bucket > 0 && startOfBucket(bucket) > ageDays) bucket -= 1;
  return bucket;
}

export function startOfBucket(bucket: number): number {
  return AGE_BUCKET_STARTS[bucket] ?? 0;
}

/** Infinity for the last bucket. */
export function endOfBucket(bucket: number): number {
  return AGE_BUCKET_STARTS[bucket + 1] ?? Infinity;
}

export function cellOf(ageBucket: number, band: number): number {
  return band * AGE_BUCKETS + ageBucket;
}
