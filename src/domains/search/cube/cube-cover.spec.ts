import type { NameFilter } from '../discovery-query.js';
import { coverOf } from './cube-cover.js';

const EVERYTHING: NameFilter = { mode: 'contains', suffixes: [], minWayback: 0 };

describe('coverOf', () => {
  it.each([
    {},
    { suffixes: ['au'], minLength: 3, maxLength: 9, hyphens: 'only', numbers: 'exclude' },
    { minWayback: 10, maxWayback: 999 },
    { minWayback: 10_000 },
    { firstSeenFrom: '2026-11-01', firstSeenTo: '2027-02-28' },
    { firstSeenTo: '2028-02-29' },
    { firstSeenTo: '9999-12-31' },
    { states: ['available'] },
  ] as const)('is exact for %j', (filter) => {
    expect(coverOf({ ...EVERYTHING, ...filter })).toMatchObject({ isExact: true });
  });

  it.each([
    { minWayback: 11 },
    { maxWayback: 10 },
    { maxWayback: 2_147_483_647 },
    { firstSeenFrom: '2026-11-02' },
    { firstSeenTo: '2028-02-28' },
  ] as const)('is less than what passes for %j', (filter) => {
    expect(coverOf({ ...EVERYTHING, ...filter })).toMatchObject({ isExact: false });
  });

  it('has the bands that lie within the scores', () => {
    expect(coverOf({ ...EVERYTHING, minWayback: 5, maxWayback: 5_000 })?.scores).toEqual([100, 10]);
    expect(coverOf({ ...EVERYTHING, minWayback: 50, maxWayback: 60 })?.scores).toEqual([]);
  });

  it.each([
    { q: 'a' },
    { confirmedSince: '2026-11-01T00:00:00Z' },
    { states: ['purged'] },
    { states: ['available', 'stale'] },
  ] as const)('knows nothing of %j', (filter) => {
    expect(coverOf({ ...EVERYTHING, ...filter })).toBeNull();
  });
});
