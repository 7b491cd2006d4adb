import fc from 'fast-check';
import { codeOfWord, cutLabel, UNKNOWN_PART, wordsOfLabel } from './label-words.js';
import { lexicon } from './lexicon.js';

const known = lexicon();

describe('a label', () => {
  it.each([
    ['coffeeshop', 'coffee shop'],
    ['coffee-shop24', 'coffee shop'],
    ['melbourneplumbers', 'melbourne plumbers'],
    ['goldcoastsolar', 'goldcoast solar'],
    ['theartofbread', 'the art of bread'],
    ['healthcare', 'healthcare'],
    ['bestcarpetcleaning', 'best carpet cleaning'],
    ['xn--caf-dma', ''],
  ])('%s is cut into %s', (label, words) => {
    expect(cutLabel(label, known)).toEqual({ words: words.split(' ').filter(Boolean), hasUnknown: false });
  });

  it('has a mark where a part of it is no word', () => {
    expect(wordsOfLabel('zxqvkjw', known)).toEqual([codeOfWord('zxqvkjw'), UNKNOWN_PART]);
  });

  it('keeps every letter, in order', () => {
    const labels = fc.string({
      unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789-'),
      maxLength: 63,
    });
    fc.assert(
      fc.property(labels, (label) => {
        fc.pre(!label.startsWith('xn--'));
        expect(cutLabel(label, known).words.join('')).toBe(label.replace(/[^a-z]/g, ''));
      }),
    );
  });
});
