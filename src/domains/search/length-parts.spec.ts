import type { DiscoveryQuery } from './discovery-query.js';
import { cutParts, queriesOfParts } from './length-parts.js';

const COUNTS = [
  { length: 3, names: 10, matching: 1 },
  { length: 5, names: 2_000, matching: 20 },
  { length: 6, names: 900, matching: 40 },
  { length: 8, names: 9_000, matching: 300 },
  { length: 9, names: 100_000, matching: 9_000 },
  { length: 12, names: 5_000, matching: 100 },
];

describe('cutParts', () => {
  it('has twice what is wanted in the first part, and eight times as many names in each of the next', () => {
    expect(cutParts(COUNTS, 26)).toEqual({ ends: [6, 9], looks: 1, read: 2_910 });
    expect(cutParts(COUNTS, 5)).toEqual({ ends: [5, 9], looks: 1, read: 2_010 });
  });

  it('says how far is read, backwards as well', () => {
    expect(cutParts(COUNTS.toReversed(), 26)).toEqual({ ends: [12, 9], looks: 1, read: 5_000 });
    expect(cutParts(COUNTS.toReversed(), 40_000)).toEqual({ ends: [], looks: 1, read: 116_910 });
    expect(cutParts(COUNTS, 9_000)).toEqual({ ends: [], looks: 1, read: 116_910 });
    expect(cutParts([], 26)).toEqual({ ends: [], looks: 1, read: 0 });
  });
});

describe('queriesOfParts', () => {
  const query: DiscoveryQuery = {
    mode: 'contains',
    suffixes: [],
    minWayback: 0,
    limit: 10,
    sort: { key: 'length', direction: 'asc' },
  };
  const limitsOf = (more: Partial<DiscoveryQuery>, ends: readonly number[]) =>
    queriesOfParts({ ...query, ...more }, ends).map(({ minLength, maxLength }) => [minLength, maxLength]);

  it('has every length once', () => {
    expect(limitsOf({}, [5, 9])).toEqual([
      [0, 5],
      [6, 9],
      [10, undefined],
    ]);
    expect(limitsOf({ sort: { key: 'length', direction: 'desc' } }, [9, 5])).toEqual([
      [9, undefined],
      [5, 8],
      [0, 4],
    ]);
  });

  it('keeps to the limits of the filter and to what is behind the last row', () => {
    const after = { domain: 'reef.au', wayback: 1, length: 4, firstSeen: null };
    expect(limitsOf({ minLength: 2, maxLength: 7, after }, [5])).toEqual([
      [4, 5],
      [6, 7],
    ]);
    expect(limitsOf({ q: 'ab', after, sort: { key: 'length', direction: 'desc' } }, [3])).toEqual([
      [3, 4],
      [2, 2],
    ]);
  });
});
