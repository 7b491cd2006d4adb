import { shareByLength } from './length-shares.js';

const LENGTHS = [
  { value: 3, names: 100, passing: 0 },
  { value: 6, names: 1_000, passing: 100 },
  { value: 9, names: 10_000, passing: 5_000 },
];

describe('shareByLength', () => {
  const mode = { suffixes: [], minWayback: 0, mode: 'contains' } as const;

  it('knows that a name is as long as what it has, and that a long one has more places for it', () => {
    const share = shareByLength({ ...mode, q: 'coffee' }, 0.01, LENGTHS, []);
    expect(share(3)).toBe(0);
    expect(share(9)).toBeCloseTo(4 * share(6), 9);
    const all = LENGTHS.reduce((sum, { value, names }) => sum + names * share(value), 0);
    expect(all / 11_100).toBeCloseTo(0.01, 9);
  });

  it('gives a beginning one place, and no pattern every name', () => {
    const share = shareByLength({ ...mode, mode: 'prefix', q: 'coffee' }, 0.01, LENGTHS, []);
    expect(share(9)).toBe(share(6));
    expect(shareByLength(mode, 1, LENGTHS, [])(3)).toBe(1);
  });

  it('takes those that have it to be as long as the ones that were found', () => {
    const share = shareByLength({ ...mode, mode: 'suffix', q: 'shop' }, 0.01, LENGTHS, [9, 9, 9]);
    const by = LENGTHS.map(({ value, names }) => names * share(value));
    expect(by.reduce((sum, one) => sum + one, 0)).toBeCloseTo(111, 6);
    // Half of them by the room alone, which is the same at 6 and 9, and half where they were found.
    expect(by[0]).toBe(0);
    expect(by[1]).toBeCloseTo((0.5 * 111 * 1_000) / 11_000, 6);
  });
});
