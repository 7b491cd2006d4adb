import fc from 'fast-check';
import { markedLiterals, matchesWording } from './wording.js';

const matches = (glob: string, name: string) => matchesWording({ glob, without: [], offeredUnder: [] }, name);

describe('a glob', () => {
  it.each([
    ['*shop*24', 'myshop24', true],
    ['*shop*24', 'shop-online24', true],
    ['*shop*24', 'shop24x', false],
    ['shop', 'shop', true],
    ['shop', 'shops', false],
    ['sh?p*', 'ship', true],
    ['sh?p*', 'shp', false],
    ['*', 'anything', true],
    ['a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b', 'a'.repeat(63), false],
  ])('%s and %s: %s', (glob, name, expected) => expect(matches(glob, name)).toBe(expected));

  it('says the same as a regular expression', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
    const glob = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(glob, text, (pattern, name) => {
        const expression = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`);
        expect(matches(pattern, name)).toBe(expression.test(name));
      }),
    );
  });

  it('has literals with marks where a name begins and ends', () => {
    const wording = { without: [], offeredUnder: [] };
    expect(markedLiterals({ ...wording, glob: '*shop*24' })).toEqual(['shop', '24$']);
    expect(markedLiterals({ ...wording, glob: 'my?shop*' })).toEqual(['^my', 'shop']);
    expect(markedLiterals({ ...wording, glob: '*' })).toEqual([]);
  });
});

it('a label with an excluded text does not match', () => {
  const wording = { without: ['shop', 'xx'], offeredUnder: [] };
  expect(['coffee', 'coffeeshop', 'axxb'].map((name) => matchesWording(wording, name))).toEqual([
    true,
    false,
    false,
  ]);
});
