import type { NameFilter } from '../../schema/filters/filters.js';
import { CellShares, shareByLength, type ShapeCount } from './cell-shares.js';

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

  it('takes two limits within a band for the part between them', () => {
    const share = (minWayback: number, maxWayback: number) =>
      shares.shareOf({ ...EVERYTHING, minWayback, maxWayback });
    // Each limit alone lets half of the band through.
    expect(share(31, 31)).toBeLessThan(0.05 * share(10, 99));
    expect(share(10, 30) + share(31, 99)).toBeCloseTo(share(10, 99), 9);
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

const LENGTHS = [
  { value: 3, names: 100, passing: 0 },
  { value: 6, names: 1_000, passing: 100 },
  { value: 9, names: 10_000, passing: 5_000 },
];

describe('shareByLength', () => {
  const mode = { suffixes: [], minWayback: 0, mode: 'contains' } as const;

  it('knows that a name is as long as what it has, and that a long one has more places for it', () => {
    const share = shareByLength({ ...mode, q: 'coffee' }, 0.01, LENGTHS, new Map());
    expect(share(3)).toBe(0);
    expect(share(9)).toBeCloseTo(4 * share(6), 9);
    const all = LENGTHS.reduce((sum, { value, names }) => sum + names * share(value), 0);
    expect(all / 11_100).toBeCloseTo(0.01, 9);
  });

  it('gives a beginning one place, and no pattern every name', () => {
    const share = shareByLength({ ...mode, mode: 'prefix', q: 'coffee' }, 0.01, LENGTHS, new Map());
    expect(share(9)).toBe(share(6));
    expect(shareByLength(mode, 1, LENGTHS, new Map())(3)).toBe(1);
  });

  it('takes those that have it to be as long as the ones that were found', () => {
    const share = shareByLength({ ...mode, mode: 'suffix', q: 'shop' }, 0.01, LENGTHS, new Map([[9, 3]]));
    const by = LENGTHS.map(({ value, names }) => names * share(value));
    expect(by.reduce((sum, one) => sum + one, 0)).toBeCloseTo(111, 6);
    // Half of them by the room alone, which is the same at 6 and 9, and half where they were found.
    expect(by[0]).toBe(0);
    expect(by[1]).toBeCloseTo((0.5 * 111 * 1_000) / 11_000, 6);
  });
});
