import { fillIn, t } from '../../../texts/texts.js';
import { BooleanParameter } from '../../../validation/shape.js';
import { UNKNOWN_PART } from '../../words/label-words.js';
import { filterBy, type KnownName, type View } from './filter.js';
import { codesOf } from './reading-filter.js';
import { Characters, LetterPattern } from './rules.js';
import { TITLE_FILTERS } from './title-filter.js';

// What people ask for who buy names to sell them again: entries of the table of filters.

/** How many words a label is asked to have, and years in the archive. */
const WORDS = { min: 1, max: 20 } as const;
const YEARS = { min: 1, max: 60 } as const;
const { said } = t.filters;
const MAX_NARROW_PATTERN = 8;

/** What a letter of a pattern stands for. */
const CHARACTERS: Readonly<Record<string, string>> = {
  C: 'bcdfghjklmnpqrstvwxyz',
  V: 'aeiou',
  L: 'abcdefghijklmnopqrstuvwxyz',
  N: '0123456789',
  '-': '-',
};

export const FURTHER_FILTERS = {
  pattern: filterBy<string>()('pattern', {
    isFree: () => false,
    sql: (pattern, { label }, bind) => [`${label} ~ ${bind(`^${expressionOf(pattern)}$`)}`],
    matches: (pattern, { name }) =>
      name.length === pattern.length &&
      [...pattern].every((kind, at) => CHARACTERS[kind]?.includes(name[at] ?? '?')),
    implies: (pattern) => ({
      length: pattern.length,
      numbers: pattern.includes('N'),
      hyphens: pattern.includes('-'),
    }),
    cells: null,
    doors: ['search', 'suggest'],
    rules: LetterPattern(),
    name: t.filters.names.pattern,
    words: (pattern) => fillIn(said.pattern, { pattern }),
    field: { label: t.filters.pattern, kind: 'pattern' },
    isNarrow: (pattern) => pattern.length <= MAX_NARROW_PATTERN,
  }),

  startsWithDigit: filterBy<boolean>()('starts_with_digit', {
    isFree: () => false,
    // Digits come before letters, and no label begins with a hyphen.
    sql: (wanted, { label }) => [`${label} ${wanted ? '<' : '>='} 'a'`],
    matches: (wanted, { name }) => name < 'a' === wanted,
    implies: (wanted) => (wanted ? { numbers: true } : {}),
    cells: null,
    doors: ['search', 'suggest'],
    rules: BooleanParameter('Whether the label begins with a digit; left out: either.', { example: false }),
    name: t.filters.names.starts_with_digit,
    words: (wanted) => (wanted === 'true' ? said.startsWithDigit : said.startsOtherwise),
    field: { label: t.filters.starts_with_digit, kind: 'yesno' },
    isNarrow: (wanted) => wanted,
  }),

  dictionary: filterBy<boolean>()('dictionary', {
    isFree: () => false,
    sql: (wanted, { words, label }) => [
      `${wanted ? '' : 'NOT '}(${words} <> '{}' AND ${UNKNOWN_PART} <> ALL (${words}) AND ${label} !~ '[0-9]')`,
    ],
    needs: 'words',
    matches: (wanted, name) => isOfWords(name) === wanted,
    implies: (wanted) => (wanted ? { numbers: false } : {}),
    cells: null,
    doors: ['search', 'suggest'],
    rules: BooleanParameter(
      'Whether the label is made of known words and nothing else but hyphens; left out: either. 503 `not_ready` ' +
        'until all names are cut into words.',
      { example: true },
    ),
    name: t.filters.names.dictionary,
    words: (wanted) => (wanted === 'true' ? said.dictionary : said.anyWords),
    field: { label: t.filters.dictionary, kind: 'yesno' },
  }),

  minWords: filterBy<number>()('min_words', {
    isFree: () => false,
    sql: (min, view, bind) => [`${wordCountIn(view)} >= ${bind(min)}`],
    needs: 'words',
    matches: (min, name) => countWords(name) >= min,
    cells: null,
    doors: ['search', 'suggest'],
    rules: Characters(
      'Fewest words in the label as it is cut: `coffeeshop` has two. A part that is no known word counts as one. 503 ' +
        '`not_ready` until all names are cut.',
      1,
      WORDS,
    ),
    upTo: 'max_words',
    name: t.filters.names.min_words,
    words: (min) => fillIn(said.minWords, { min }),
    field: { label: t.filters.min_words, kind: 'number', ...WORDS },
  }),

  maxWords: filterBy<number>()('max_words', {
    isFree: () => false,
    sql: (max, view, bind) => [`${wordCountIn(view)} <= ${bind(max)}`],
    needs: 'words',
    matches: (max, name) => countWords(name) <= max,
    cells: null,
    doors: ['search', 'suggest'],
    rules: Characters('Most words in the label, counted as for min_words.', 2, WORDS),
    name: t.filters.names.max_words,
    words: (max) => fillIn(said.maxWords, { max }),
    field: { label: t.filters.max_words, kind: 'number', ...WORDS },
  }),

  minYears: filterBy<number>()('min_years', {
    isFree: () => false,
    sql: (min, view, bind) => [`${yearsIn(view)} >= ${bind(min)}`],
    needs: 'lastCapture',
    matches: (min, name) => (archiveYearsOf(name) ?? NaN) >= min,
    cells: null,
    rules: Characters(
      'Fewest calendar years from the first to the last capture in the archive, both counted. Names without a known ' +
        'capture are left out.',
      10,
      YEARS,
    ),
    upTo: 'max_years',
    name: t.filters.names.min_years,
    words: (min) => fillIn(said.minYears, { min }),
    field: { label: t.filters.min_years, kind: 'number', ...YEARS },
  }),

  maxYears: filterBy<number>()('max_years', {
    isFree: () => false,
    sql: (max, view, bind) => [`${yearsIn(view)} <= ${bind(max)}`],
    needs: 'lastCapture',
    matches: (max, name) => (archiveYearsOf(name) ?? NaN) <= max,
    cells: null,
    rules: Characters('Most such years. Names without a known capture are left out.', 20, YEARS),
    name: t.filters.names.max_years,
    words: (max) => fillIn(said.maxYears, { max }),
    field: { label: t.filters.max_years, kind: 'number', ...YEARS },
  }),

  ...TITLE_FILTERS,
};

/** Whether a label of the pattern may begin with the character. */
export function mayBegin(pattern: string, initial: string): boolean {
  return CHARACTERS[pattern.slice(0, 1)]?.includes(initial) ?? true;
}

function expressionOf(pattern: string): string {
  return [...pattern].map((kind) => `[${CHARACTERS[kind] ?? ''}]`).join('');
}

function wordCountIn({ words }: View): string {
  return `cardinality(array_remove(${words}, ${UNKNOWN_PART}))`;
}

type Cut = Pick<KnownName, 'name' | 'words'>;

export function countWords({ name, words }: Cut): number {
  return (words ?? codesOf(name)).filter((code) => code !== UNKNOWN_PART).length;
}

export function isOfWords({ name, words }: Cut): boolean {
  const codes = words ?? codesOf(name);
  return codes.length > 0 && !codes.includes(UNKNOWN_PART) && !/\d/.test(name);
}

/** Calendar years from the first to the last capture, both counted. */
export function yearsIn({ firstCapture, lastCapture }: Pick<View, 'firstCapture' | 'lastCapture'>): string {
  return `(extract(year FROM ${lastCapture}) - extract(year FROM ${firstCapture}) + 1)`;
}

function archiveYearsOf({ archive, archiveYears }: KnownName): number | null {
  if (!archive?.firstCapture || !archive.lastCapture) return archiveYears ?? null;
  return yearOf(archive.lastCapture) - yearOf(archive.firstCapture) + 1;
}

/** @param day YYYY-MM-DD */
function yearOf(day: string): number {
  return Number(day.slice(0, 4));
}
