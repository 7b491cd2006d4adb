import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES } from '../../src/errors/error-codes.js';
import { SEARCH_PARAMETERS } from '../../src/domains/schema/filters/parameters.js';
import { en } from '../../src/texts/en/en.js';
import { counted, fillIn } from '../../src/texts/texts.js';
import { madeUpFrom, textsIn } from '../support/made-up-language.js';

const AVOIDED = readFileSync(join(__dirname, 'words-to-avoid.txt'), 'utf8').trim().split('\n');
const english = textsIn(en).filter(([place]) => place !== 'locale');

describe('the catalogue', () => {
  const said = [
    ...english,
    ...Object.entries(ERROR_CODES).map(([code, { meaning }]) => [code, meaning]),
    ...SEARCH_PARAMETERS.map(({ parameter, name, field }) => [parameter, `${name}; ${field?.label ?? ''}`]),
  ];

  it('has every text of pages and mails, and none is empty', () => {
    expect(said.filter(([, text = '']) => text.trim() === '')).toEqual([]);
    expect(english.length).toBeGreaterThan(500);
  });

  it.each(AVOIDED)('says “%s” nowhere', (words) => {
    const pattern = new RegExp(`\\b${words}\\b`, 'i');
    expect(said.filter(([, text = '']) => pattern.test(text))).toEqual([]);
  });

  it('closes every tag that it opens', () => {
    const open = english.filter(([, text]) => {
      const tags = [...text.matchAll(/<(\/?)(\w+)>/g)].map(([, end = '', name = '']) => end + name);
      return tags.some((tag, place) =>
        place % 2 === 0 ? tag.startsWith('/') : tag !== `/${tags[place - 1]}`,
      );
    });
    expect(open).toEqual([]);
  });

  it('counts in the singular and in the plural', () => {
    expect([counted(1, 'letter'), counted(2_000, 'letter')]).toEqual(['1 letter', '2,000 letters']);
  });

  it('leaves no value out', () => {
    expect(fillIn('{count} of {name}', { count: 2_000, name: 'x' })).toBe('2,000 of x');
    expect(() => fillIn('{count} of {name}', { count: 1 })).toThrow('needs name');
  });
});

describe('another language', () => {
  const other = madeUpFrom(en);

  it('has every text, and none that is English', () => {
    const made = new Map(textsIn(other));
    const same = english.filter(([place, text]) => {
      const words = text.replace(/\{\w+\}|<\/?\w+>|\/[\w/.-]+/g, '');
      return /[aeiouy]/i.test(words) && made.get(place) === text;
    });
    expect(same).toEqual([]);
    expect(english.map(([place]) => place).filter((place) => !made.has(place))).toEqual([]);
  });

  it('has plurals of its own', () => {
    expect(Object.keys(other.counts.name)).toEqual(['one', 'few', 'other']);
  });
});
