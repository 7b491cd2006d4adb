import type { NameFilter } from '../schema/filters/filters.js';
import { type GramLookup, isImplied, provesPattern, traitsOf } from './name-traits.js';

const FILTER: NameFilter = { mode: 'contains', suffixes: [], minWayback: 0 };

function codesOf(more: Partial<NameFilter>) {
  return traitsOf({ ...FILTER, ...more }).map(({ codes }) => codes);
}

describe('traitsOf', () => {
  it('has nothing where the filter asks for what most names have', () => {
    expect(codesOf({ q: 'coffee', minLength: 2, hyphens: 'exclude', numbers: 'allow' })).toEqual([]);
  });

  it.each([
    [{ hyphens: 'only' }, [1, 3]],
    [{ numbers: 'only' }, [2, 3]],
    [{ hyphens: 'only', numbers: 'only' }, [3]],
    [{ hyphens: 'only', numbers: 'exclude' }, [1]],
    [{ hyphens: 'exclude', numbers: 'only' }, [2]],
  ] as const)('tells what %p may have', (presence, codes) => {
    expect(codesOf(presence)).toEqual([codes]);
  });

  it('leaves out what the keyword has already', () => {
    expect(codesOf({ q: 'a-1', hyphens: 'only', numbers: 'only' })).toEqual([]);
    expect(codesOf({ q: '101', hyphens: 'only', numbers: 'only' })).toEqual([[1, 3]]);
  });

  it('names every week that the days touch', () => {
    // 1 January of the year 1 is a Monday, as is 29 June 2026.
    expect(codesOf({ firstSeenFrom: '2026-06-29', firstSeenTo: '2026-07-05' })).toEqual([[105_685]]);
    expect(codesOf({ firstSeenFrom: '2026-06-28', firstSeenTo: '2026-07-06' })).toEqual([
      [105_684, 105_685, 105_686],
    ]);
  });

  it('names whole blocks of four weeks by one code each', () => {
    expect(codesOf({ firstSeenFrom: '2026-06-21', firstSeenTo: '2026-08-24' })).toEqual([
      [105_683, 1_026_421, 1_026_422, 105_692, 105_693],
    ]);
  });

  it.each([
    [{ minLength: 9 }, [209, 210, 211, 303, 304, 305, 306, 307, 232]],
    [{ minLength: 5, maxLength: 8 }, [205, 206, 207, 208]],
    [{ maxLength: 5 }, [201, 202, 203, 204, 205]],
    [{ minLength: 40 }, [232]],
  ])('names the lengths of %p, in blocks where it can', (lengths, codes) => {
    expect(codesOf(lengths)).toEqual([codes]);
  });

  it.each([
    [['-', '9'], [457]],
    [
      ['-', 'b'],
      [457, 497, 498],
    ],
    [
      ['y', 'z'],
      [521, 522],
    ],
  ] as const)('names what names from %p begin with', (initials, codes) => {
    expect(traitsOf({ ...FILTER, initials }).map((trait) => trait.codes)).toEqual([codes]);
  });

  it('lists shapes of words by length where lengths leave some out, each once in all else', () => {
    const words = { dictionary: true, maxWords: 1 } as const;
    const alone = [4_098, 4_099, 4_102, 4_103];
    expect(codesOf(words)).toEqual([alone]);
    expect(codesOf({ ...words, minLength: 3 })).toEqual([expect.arrayContaining([203]), alone]);
    expect(codesOf({ ...words, minLength: 31 })).toContainEqual([159, 160, 223, 224, 415, 416, 479, 480]);
  });

  it('leaves days without an end, of many weeks, and none at all to the others', () => {
    expect(codesOf({ firstSeenFrom: '2026-06-29' })).toEqual([]);
    expect(codesOf({ firstSeenFrom: '2016-01-01', firstSeenTo: '2026-06-29' })).toEqual([]);
    expect(codesOf({ firstSeenFrom: '2026-06-29', firstSeenTo: '2026-06-01' })).toEqual([]);
  });
});

describe('isImplied', () => {
  it.each([
    [{ hyphens: 'only' }, true],
    [{ hyphens: 'only', numbers: 'only' }, false],
    [{ minLength: 31 }, true],
    [{ minLength: 3 }, false],
  ] as const)('tells whether shapes of words with %j ask for all that it lists: %j', (asked, implied) => {
    const traits = traitsOf({ ...FILTER, dictionary: true, maxWords: 1, ...asked });
    const shapes = traits.find(({ isOfWords }) => isOfWords);
    const others = traits.filter((trait) => trait !== shapes);
    expect(others.map((trait) => shapes && isImplied(trait, shapes))).toEqual([implied]);
  });
});

describe('provesPattern', () => {
  const proves = ({ q, mode = 'contains' }: Partial<NameFilter>, lookup: Partial<GramLookup>) =>
    provesPattern({ every: [], some: [], ...lookup }, { ...FILTER, q, mode });

  it.each([
    [{ q: 'ing' }, { every: ['.com', 'ing'] }],
    [{ q: 'cafe' }, { every: ['cafe'] }],
    [{ q: 'the', mode: 'prefix' }, { every: ['^the'] }],
    [{ q: '24', mode: 'suffix' }, { every: ['24$'] }],
    [{ q: 'co' }, { every: ['co'] }],
    [{ q: 'x', mode: 'suffix' }, { every: ['x$'] }],
  ] as const)('is so of %j by %j', (filter, lookup) => {
    expect(proves(filter, lookup)).toBe(true);
  });

  it.each([
    [{}, { every: ['ing'] }],
    [{ q: 'ing' }, { every: ['^ing'] }],
    [{ q: 'ing' }, { every: ['.com'] }],
    [{ q: 'cafes' }, { every: ['cafe', 'afes'] }],
    [{ q: 'the', mode: 'suffix' }, { every: ['^the'] }],
    [{ q: 'co' }, { every: ['.com'] }],
    [{ q: 'x' }, { every: ['xy'] }],
  ] as const)('is not so of %j by %j', (filter, lookup) => {
    expect(proves(filter, lookup)).toBe(false);
  });
});
