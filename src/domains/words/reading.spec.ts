import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/runs.js';
import { lexicon } from './lexicon.js';
import { soughtInWords, strictQuestion, strictText } from './read-as.js';
import { isEmptyReading, MAX_QUESTION_LENGTH, readQuestion } from './reading.js';

const known = lexicon();
const read = (text: string) => readQuestion(text, known);
const termsOf = (text: string) => read(text).terms.map(({ as }) => as[0]);

describe('a question', () => {
  it.each([
    ['coffee shop', ['coffee', 'shop']],
    ['Coffee-Shop', ['coffee', 'shop']],
    ['coffeeshop', ['coffee', 'shop']],
    ['café in melbourne', ['cafe', 'melbourne']],
    ['the', ['the']],
    ['gold coast plumber', ['goldcoast', 'plumber']],
    ['cofee', ['coffee']],
    ['resturant', ['restaurant']],
    ['accomodation', ['accommodation']],
    ['melborne', ['melbourne']],
    ['zyqqo', ['zyqqo']],
    ['24 hour plumber', ['24', 'hour', 'plumber']],
    ['https://www.coffeeshop.com.au/menu', ['coffee', 'shop']],
    ['https://www.coffeeshop.com/menu?x=1', ['coffee', 'shop']],
    ['coffee shop.com.au', ['coffee', 'shop']],
    ["men's shed", ['men', 'shed']],
    ['moter mechanic', ['motor', 'mechanic']],
    ['ozzie', ['ozzie']],
    ['bottle-o', ['bottle']],
    ['bq clinic', ['clinic']],
  ])('%s asks for %j', (text, words) => {
    expect(termsOf(text)).toEqual(words);
  });

  it('takes other forms of a word for the word', () => {
    expect(read('cafes').terms[0]?.words).toEqual(expect.arrayContaining(['cafe', 'cafes']));
    expect(read('color').terms[0]?.words).toEqual(expect.arrayContaining(['colour', 'color', 'colours']));
    expect(read('melb').terms[0]?.words).toContain('melbourne');
    expect(read('coffee').terms[0]?.related).toEqual(expect.arrayContaining(['cafe', 'espresso']));
    expect(read('plumber').terms[0]?.related).toContain('plumbing');
  });

  it('has nothing to do with words that only begin alike', () => {
    expect(read('coffee').terms[0]?.related).not.toContain('coffer');
    expect(read('ozzie').terms[0]?.words).toContain('aussie');
    expect(read('moter').terms[0]?.as).not.toContain('mother');
  });

  it('says what it does not use', () => {
    const minus = 'a b c d e f g h i j'.split(' ').map((word) => `-${word}${word}${word}`);
    expect(read(`coffee ${minus.join(' ')}`).leftOut).toEqual(['-iii', '-jjj']);
    expect(read('bottle-o shop.com.au').leftOut).toEqual(['o', '.com.au']);
  });

  it.each([
    ['coffee, tea', 'coffeetea'],
    ["O'Brien plumbing", 'obrienplumbing'],
    ['coffee & tea', 'coffeetea'],
    ['coffee - tea', 'coffeetea'],
    ['coffee-tea', 'coffee-tea'],
    ['coffee*', 'coffee'],
    ['coffee shop.com.au', 'coffeeshop'],
    ['coffee -melbourne', null],
  ])('%s by text is %s', (text, strict) => {
    expect(strictText(read(text))).toBe(strict);
  });

  it('is strict with its exclusions', () => {
    expect(strictQuestion(read('cofee shop -melbourne'))).toBe('"cofee" "shop" -melbourne');
  });

  it.each([
    ['cofee shop', 'with coffee (for cofee) and shop'],
    ['-coffee', 'without coffee'],
    ['coff*', 'like coff*'],
    ['"coffee shop" bar* -van', 'with “coffee shop”, like *bar*, without van'],
  ])('%s is told as names %s', (text, words) => {
    expect(soughtInWords(read(text))).toBe(words);
  });

  it('has quotes, exclusions and patterns', () => {
    expect(read('"coffee shop" -van *bar*')).toMatchObject({
      phrases: [['coffee', 'shop']],
      without: [{ as: ['van'] }],
      globs: ['*bar*'],
    });
    expect(read('shop*').globs).toEqual(['shop*']);
    expect(read('melb* plumber')).toMatchObject({ globs: ['*melb*'], terms: [{ typed: 'plumber' }] });
    expect(read('the coffee').leftOut).toEqual(['the']);
  });

  it('is a whole name', () => {
    expect(read('Coffee-Shop.com.au')).toMatchObject({ name: 'coffee-shop.com.au', globs: ['coffee-shop'] });
    expect(read('coffee.').name).toBeNull();
  });

  it('may say nothing', () => {
    for (const text of ['', '!!!', '""', ' - ', '***']) expect(isEmptyReading(read(text))).toBe(true);
  });
});

describe('any text', () => {
  const words = fc.constantFrom('coffee', 'shop', 'cofee', 'melbourne', 'plumbing', 'zyqqo', 'the', '24');
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 300 }),
    fc
      .array(fc.oneof(words, fc.constantFrom('"', '-', '*', '?', '.', 'com.au', '/')), { maxLength: 12 })
      .map((parts) => parts.join(' ')),
  );

  it('is read, within bounds, and with words of letters alone', () => {
    fc.assert(
      fc.property(text, (given) => {
        const { typed, terms, phrases, without, globs } = read(given);
        expect(typed.length).toBeLessThanOrEqual(MAX_QUESTION_LENGTH);
        for (const list of [phrases, globs]) expect(list.length).toBeLessThanOrEqual(8);
        for (const term of [...terms, ...without]) {
          expect(term.words.every((word) => /^[a-z]+$/.test(word))).toBe(true);
          expect(term.as.every((word) => /^[a-z0-9]+$/.test(word))).toBe(true);
        }
        for (const glob of globs) expect(glob).toMatch(/^[a-z0-9*?-]{1,66}$/);
      }),
    );
  });

  it('means the same in any order of its words, in capitals and with hyphens', () => {
    fc.assert(
      fc.property(fc.uniqueArray(words, { minLength: 1, maxLength: 5 }), (given) => {
        const sorted = (asked: string) => termsOf(asked).sort();
        expect(sorted(given.toReversed().join('  ').toUpperCase())).toEqual(sorted(given.join(' ')));
        expect(sorted(given.join('-'))).toEqual(sorted(given.join(' ')));
      }),
    );
  });
});
