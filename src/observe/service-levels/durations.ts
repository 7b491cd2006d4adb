/** Longest durations of each bucket in milliseconds; one bucket more has what took longer. Objectives lie on these bounds. */
export const DURATION_BOUNDS_MS = [
  1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 250, 300, 400, 500, 700, 1_000, 1_500,
  2_000, 3_000, 4_000, 5_000, 7_000, 10_000,
] as const;

export const BUCKETS = DURATION_BOUNDS_MS.length + 1;

export function bucketOf(durationMs: number): number {
  const place = DURATION_BOUNDS_MS.findIndex((bound) => durationMs <= bound);
  return place === -1 ? BUCKETS - 1 : place;
}

/** What a share of the requests took at most, as far as the buckets tell: the bound above it; null where there was none, or it took longer than all bounds. */
export function percentileOf(buckets: readonly number[], share: number): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  let counted = 0;
  for (const [place, count] of buckets.entries()) {
    counted += count;
    if (total > 0 && counted >= total * share) return DURATION_BOUNDS_MS[place] ?? null;
  }
  return null;
}

/** How many took no longer than a bound. */
export function countWithin(buckets: readonly number[], boundMs: number): number {
  return buckets.slice(0, bucketOf(boundMs) + 1).reduce((sum, count) => sum + count, 0);
}
