import type { NameFilter } from '../../schema/filters/filters.js';
import { CellShares, type ShapeCount } from './cell-shares.js';

const EVERYTHING: NameFilter = { mode: 'contains', suffixes: [], minWayback: 0 };
const cell = (more: Partial<ShapeCount>): ShapeCount => ({
  tld: 'com.au',
  length: 5,
  hyphens: false,
  numbers: false,
  score: 0,
  names: 100,
  ...more,
});
const shares = new CellShares(
  [
    cell({ names: 600 }),
    cell({ tld: 'id.au', length: 9, names: 200 }),
    cell({ hyphens: true, score: 10, names: 150 }),
    cell({ hyphens: true, numbers: true, length: 9, score: 10_000, names: 50 }),
  ],
  [
    { month: '2026-10', names: 310 },
    { month: '2026-11', names: 600 },
  ],
);

describe('CellShares', () => {
  it.each([
    [{}, 1],
    [{ suffixes: ['id.au'] }, 0.2],
    [{ hyphens: 'only' }, 0.2],
    [{ hyphens: 'only', numbers: 'exclude' }, 0.15],
    [{ maxLength: 5 }, 0.75],
    [{ minLength: 6, numbers: 'only' }, 0.05],
    [{ minWayback: 10_000 }, 0.05],
    [{ minWayback: 1, maxWayback: 99 }, 0.15],
    [{ maxWayback: 0 }, 0.8],
    [{ firstSeenFrom: '2026-11-01' }, 0.6],
    [{ firstSeenFrom: '2026-10-31', firstSeenTo: '2026-10-31' }, 0.01],
    [{ firstSeenTo: '2026-11-15' }, 0.61],
    [{ firstSeenFrom: '2026-11-01', hyphens: 'only' }, 0.12],
    [{ firstSeenTo: '2025-01-01' }, 0],
  ] as const)('says what %j lets through', (filter, share) => {
    expect(shares.shareOf({ ...EVERYTHING, ...filter })).toBeCloseTo(share, 9);
  });

  it('takes less of a band for less of its range', () => {
    const share = (minWayback: number) => shares.shareOf({ ...EVERYTHING, minWayback, maxWayback: 99 });
    expect(share(10)).toBeCloseTo(0.15, 9);
    expect(share(50)).toBeLessThan(share(20));
    expect(share(99)).toBeGreaterThan(0);
  });

  it('says of each length how many names an index leads past, and how many of them pass', () => {
    expect(shares.byLength({ ...EVERYTHING, numbers: 'only' })).toEqual([
      { value: 5, names: 750, passing: 0 },
      { value: 9, names: 250, passing: 50 },
    ]);
    expect(shares.byLength({ ...EVERYTHING, minWayback: 10_000, minLength: 9 })).toEqual([
      { value: 9, names: 50, passing: 50 },
    ]);
  });
});
