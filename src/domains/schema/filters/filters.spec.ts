import { readWords } from './reading-filter.js';
import { isOfWholeCells, type NameFilter, NO_LIMITS, withImplied } from './filters.js';

const EVERYTHING: NameFilter = { mode: 'contains', suffixes: [], minWayback: 0 };

describe('the cells of the cube', () => {
  it.each<Partial<NameFilter>>([
    {},
    { suffixes: ['au'], minLength: 3, maxLength: 9, hyphens: 'only', numbers: 'exclude' },
    { minWayback: 10, maxWayback: 999 },
    { minWayback: 10_000 },
    { maxWayback: 2_147_483_647 },
    { firstSeenFrom: '2026-11-01', firstSeenTo: '2027-02-28' },
    { firstSeenTo: '2028-02-29' },
    { firstSeenTo: '9999-12-31' },
    { states: ['available'] },
  ])('are the limits of %j', (filter) => {
    expect(isOfWholeCells({ ...EVERYTHING, ...filter })).toBe(true);
  });

  it.each<Partial<NameFilter>>([
    { minWayback: 11 },
    { maxWayback: 10 },
    { firstSeenFrom: '2026-11-02' },
    { firstSeenTo: '2028-02-28' },
    { q: 'a' },
    { glob: 'a*' },
    { confirmedSince: '2026-11-01T00:00:00Z' },
    { states: ['purged'] },
    { states: ['available', 'stale'] },
    { states: [] },
  ])('are not the limits of %j', (filter) => {
    expect(isOfWholeCells({ ...EVERYTHING, ...filter })).toBe(false);
  });
});

describe('withImplied', () => {
  const asked = (more: Partial<NameFilter>) => withImplied({ ...NO_LIMITS, ...more });

  // By its order ten million names were read for nothing: a single digit has no list.
  it('lets no name pass where a text of the reading is against another filter', () => {
    const reading = readWords('1');
    expect(asked({ reading, numbers: 'exclude' })).toBeNull();
    expect(asked({ reading, maxDigits: 0 })).toBeNull();
    expect(asked({ reading, numbers: 'only' })).toMatchObject({ numbers: 'only' });
    expect(asked({ reading })).toEqual({ ...NO_LIMITS, reading });
  });

  it('says what a keyword says of every label that has it', () => {
    expect(asked({ q: 'a-1' })).toMatchObject({ minLength: 3, hyphens: 'only', numbers: 'only' });
    expect(asked({ q: 'cafe', minLength: 9, hyphens: 'exclude', maxDigits: 0 })).toMatchObject({
      ...{ minLength: 9, hyphens: 'exclude', maxDigits: 0 },
    });
  });

  it.each([
    { q: '-h', hyphens: 'exclude' },
    { q: '101', numbers: 'exclude' },
    { q: '101', maxDigits: 2 },
    { q: 'coffee', maxLength: 5 },
  ] as const)('knows that no name passes %p', (filter) => {
    expect(asked(filter)).toBeNull();
  });

  it('leaves a filter without a keyword alone', () => {
    expect(asked({ maxLength: 5 })).toEqual({ ...NO_LIMITS, maxLength: 5 });
  });
});
