import { BUCKETS, bucketOf, countWithin, DURATION_BOUNDS_MS, percentileOf } from './durations.js';
import { LATENCY_OBJECTIVES } from './objectives.js';

function bucketsOf(durations: readonly number[]): number[] {
  const buckets = Array.from({ length: BUCKETS }, () => 0);
  for (const duration of durations) buckets[bucketOf(duration)] = (buckets[bucketOf(duration)] ?? 0) + 1;
  return buckets;
}

describe('buckets of durations', () => {
  it.each([
    [0, 0],
    [1, 0],
    [1.01, 1],
    [300, DURATION_BOUNDS_MS.indexOf(300)],
    [10_000, BUCKETS - 2],
    [10_001, BUCKETS - 1],
  ])('%d ms belong to bucket %d', (duration, bucket) => {
    expect(bucketOf(duration)).toBe(bucket);
  });

  it('tell percentiles as the bound above them', () => {
    const buckets = bucketsOf(Array.from({ length: 100 }, (_, place) => place + 1));
    expect([0.5, 0.95, 0.99, 1].map((share) => percentileOf(buckets, share))).toEqual([50, 100, 100, 100]);
    expect(percentileOf(bucketsOf([]), 0.5)).toBeNull();
    expect(percentileOf(bucketsOf([1, 20_000]), 0.99)).toBeNull();
  });

  it('tell exactly how many kept to an objective', () => {
    for (const objective of Object.values(LATENCY_OBJECTIVES)) {
      expect(DURATION_BOUNDS_MS).toContain(objective);
      expect(countWithin(bucketsOf([1, objective, objective + 0.1]), objective)).toBe(2);
    }
  });
});
