import { sampleOf } from '../../../test/support/name-sample.js';
import type { NameSample } from './name-sample.js';
import type { KnownName } from '../schema/filters/filter.js';
import { NO_LIMITS } from '../schema/filters/filters.js';

const SIZE = 20_000;
const TOTAL = 2_000_000;

describe('a sample to count by', () => {
  let sample: NameSample;
  beforeAll(async () => {
    sample = await sampleOf(
      Array.from({ length: SIZE }, (_, place) => nameAt(place)),
      TOTAL,
    );
  });

  it('estimates what many names have, with an interval around it', () => {
    const cafes = sample.estimate({ ...NO_LIMITS, q: 'cafe' });
    expect(cafes).toMatchObject({ isExact: false });
    expect(cafes?.low).toBeLessThan(TOTAL / 10);
    expect(cafes?.high).toBeGreaterThan(TOTAL / 10);
    expect(Math.abs((cafes?.total ?? 0) - TOTAL / 10)).toBeLessThan(TOTAL / 100);
  });

  it('leaves what few names have to be counted', () => {
    expect(sample.estimate({ ...NO_LIMITS, q: 'winery' })).toBeNull();
    expect(sample.guess({ ...NO_LIMITS, q: 'winery' }).total).toBe(TOTAL / 1_000);
  });

  it('leaves a small dataset to be counted', async () => {
    const small = await sampleOf(
      Array.from({ length: SIZE }, (_, place) => nameAt(place)),
      SIZE,
    );
    expect(small.estimate(NO_LIMITS)).toBeNull();
  });

  it('estimates facets that add up', () => {
    const found = sample.estimateFacets({ ...NO_LIMITS, q: 'cafe' });
    const sum = (field: 'tld' | 'score') =>
      found?.facets.reduce((total, row) => total + (row[field] === null ? 0 : row.names), 0) ?? 0;
    expect(sum('tld')).toBe(found?.counted.total);
    expect(Math.abs(sum('score') - sum('tld'))).toBeLessThan(10);
  });
});

function nameAt(place: number): KnownName {
  const kind = place % 1_000 === 1 ? 'winery' : place % 10 === 0 ? 'cafe' : 'shop';
  return { name: `${kind}-${place}`, tld: 'com.au', wayback: place % 50, firstSeen: '2026-11-01' };
}
