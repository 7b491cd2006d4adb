import { codeOfGram, endOfPrefix, gramOfSuffix, lookupOf } from './pattern-grams.js';

describe('lookupOf', () => {
  it.each([
    ['coffee', ['coff', 'offe', 'ffee']],
    ['^cof', ['^cof']],
    ['cof', ['cof']],
    ['^co', ['^co']],
    ['aaaaaa', ['aaaa']],
  ])('looks up the longest grams of %s', (marked, every) => {
    expect(lookupOf(marked)).toEqual({ every, some: [] });
  });

  it('looks up whatever two characters may be the beginning of', () => {
    const some = lookupOf('q-')?.some;
    expect(some).toHaveLength(38);
    expect(some).toEqual(expect.arrayContaining(['q-a', 'q-9', 'q--', 'q-$']));
  });

  it('looks up whatever a last character may be the end of', () => {
    const some = lookupOf('q$')?.some;
    expect(some).toHaveLength(38);
    expect(some).toEqual(expect.arrayContaining(['aq$', '9q$', '^q$']));
  });

  it('has nothing to look up for a single character', () => {
    expect(lookupOf('q')).toBeNull();
  });
});

describe('codeOfGram', () => {
  it('is the number that the bytes make', () => {
    expect(codeOfGram('abc')).toBe(0x616263);
    expect(codeOfGram('abcd')).toBe(0x61626364);
  });
});

describe('gramOfSuffix', () => {
  it('differs for every suffix', () => {
    const grams = (['com.au', 'net.au', 'org.au', 'id.au', 'asn.au', 'au'] as const).map(gramOfSuffix);
    expect(grams).toEqual(['.com', '.net', '.org', '.id.', '.asn', '.au$']);
  });
});

describe('endOfPrefix', () => {
  it.each([
    ['ab', 'ac'],
    ['az', 'a{'],
    ['a9', 'a:'],
    ['a-', 'a.'],
  ])('comes right behind all that starts with %s', (prefix, end) => {
    expect(endOfPrefix(prefix)).toBe(end);
    expect(`${prefix}~~~` < end && prefix < end).toBe(true);
  });
});
