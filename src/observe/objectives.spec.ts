import {
  bucketOf,
  BUCKETS,
  countWithin,
  doorOf,
  DURATION_BOUNDS_MS,
  LATENCY_OBJECTIVES,
  operationOf,
  percentileOf,
  writtenMinutes,
} from './objectives.js';

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

it.each([
  ['/v1/stats', 'v1'],
  ['/api/v1/search', 'api_v1'],
  ['/mcp', 'mcp'],
  ['/mcp/', 'mcp'],
  ['/mcp/account', 'mcp'],
  ['/domains/a.com.au', 'pages'],
  ['/', 'pages'],
  ['/livez', null],
  ['/readyz', null],
])('%s comes through the door %s', (path, door) => {
  expect(doorOf(path)).toBe(door);
});

it.each([
  ['GET', '/v1/domains/check', 'check'],
  ['POST', '/api/v1/domains/check', null],
  ['POST', '/api/v1/suggest', 'suggest'],
  ['GET', '/api/v1/search', 'search'],
  ['GET', '/api/v1/dropped', null],
])('%s %s is timed as %s', (method, path, operation) => {
  expect(operationOf(method, path)).toBe(operation);
});

it.each([
  ['2026-11-22T10:05:19Z', '2026-11-22T10:04:00.000Z'],
  ['2026-11-22T10:05:20Z', '2026-11-22T10:05:00.000Z'],
])('at %s the minutes to %s are over and written', (now, to) => {
  const span = writtenMinutes(new Date('2026-11-01T00:00:59Z'), new Date(now));
  expect([span.from, span.to].map((time) => time.toISOString())).toEqual(['2026-11-01T00:00:00.000Z', to]);
});
