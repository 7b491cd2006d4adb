import type { Suffix } from '../domain.js';
import type { KnownName, TriState } from './filter.js';
import { countWords, isOfWords } from './further-filters.js';

// The codes that the SQL function domain_word_traits lists for a name: by them a filter of words, letters or years finds
// its names. For suffixes that are joined with grams, each shape has a second code.

/** Longer labels have no code for the kinds of their letters. */
export const MAX_PATTERN = 8;
/** What codes are counted from: of shapes alone, by length and by first character; of letters; of years. */
export const WORD_CODES = {
  alone: 4_096,
  byLength: 64,
  byInitial: { from: 16_384, each: 128 },
  letters: 1_000_000_000,
  years: 8_192,
  /** The number of the suffix stands above. */
  joined: 1 << 20,
} as const;
/** Longer labels share its code. */
export const MAX_SHAPE_LENGTH = 32;
/** Labels of more words count as these. */
export const MAX_SHAPE_WORDS = 7;
/** Alike in how many words there are, whether there is nothing else, and whether there are hyphens. */
const SHAPES = Array.from({ length: 4 * (MAX_SHAPE_WORDS + 1) }, (_, shape) => shape);
const KINDS = ['aeiou', 'bcdfghjklmnpqrstvwxyz', '0123456789', '-'];
/** The kinds that a letter of a pattern lets through. */
const KINDS_OF: Readonly<Record<string, readonly string[]>> = {
  ...{ V: ['0'], C: ['1'], L: ['0', '1'], N: ['2'], '-': ['3'] },
};

/** The codes by which a sample is listed. */
export function wordCodesOf(name: Pick<KnownName, 'name' | 'words'>): number[] {
  const kinds = [...name.name].map((character) => KINDS.findIndex((kind) => kind.includes(character)));
  const letters = name.name.length <= MAX_PATTERN ? [WORD_CODES.letters + Number(`1${kinds.join('')}`)] : [];
  return [WORD_CODES.alone + shapeOf(name), ...letters];
}

function shapeOf(name: Pick<KnownName, 'name' | 'words'>): number {
  const words = Math.min(MAX_SHAPE_WORDS, countWords(name));
  return words * 4 + Number(isOfWords(name)) * 2 + Number(name.name.includes('-'));
}

/** The shapes that the names have which pass; null: nothing is asked of words. */
export function shapesOf(filter: {
  readonly dictionary?: boolean;
  readonly minWords?: number;
  readonly maxWords?: number;
  readonly hyphens?: TriState;
}): number[] | null {
  const { dictionary, minWords = 0, maxWords = Infinity, hyphens = 'allow' } = filter;
  if (dictionary === undefined && minWords === 0 && maxWords === Infinity) return null;
  return SHAPES.filter((shape) => {
    const words = shape >> 2;
    const isWords = Boolean(shape & 2);
    return (
      words >= Math.min(MAX_SHAPE_WORDS, minWords) &&
      words <= maxWords &&
      (dictionary ?? isWords) === isWords &&
      hyphens !== (shape & 1 ? 'exclude' : 'only')
    );
  });
}

/** The codes of the labels that a pattern of letters lets through; null: they have none. */
export function lettersOf(pattern = ''): number[] | null {
  if (pattern === '' || pattern.length > MAX_PATTERN) return null;
  const kinds = [...pattern].reduce(
    (all, letter) => all.flatMap((one) => (KINDS_OF[letter] ?? []).map((kind) => one + kind)),
    ['1'],
  );
  return kinds.map((one) => WORD_CODES.letters + Number(one));
}

/** Suffixes as codes have them, from 1. */
export const JOINED_SUFFIXES = ['net.au', 'org.au', 'id.au', 'asn.au', 'au'] as const satisfies Suffix[];
