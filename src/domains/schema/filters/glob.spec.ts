import fc from 'fast-check';
import { markedLiterals, matchesGlob as matches } from './glob.js';

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
    expect(markedLiterals({ glob: '*shop*24' })).toEqual(['shop', '24$']);
    expect(markedLiterals({ glob: 'my?shop*' })).toEqual(['^my', 'shop']);
    expect(markedLiterals({ glob: '*' })).toEqual([]);
  });
});
