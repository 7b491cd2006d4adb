import { codeOfGram, endOfPrefix, gramOfSuffix, gramsToLookUp } from './pattern-grams.js';

describe('gramsToLookUp', () => {
  it.each([
    ['coffee', ['coff', 'offe', 'ffee']],
    ['^cof', ['^cof']],
    ['cof', ['cof']],
    ['^co', ['^co']],
    ['q-', ['q-']],
    ['q$', ['q$']],
    ['aaaaaa', ['aaaa']],
    ['q', []],
  ])('has the longest grams of %s', (marked, grams) => {
    expect(gramsToLookUp(marked)).toEqual(grams);
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
