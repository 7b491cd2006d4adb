import type { MatchMode, Suffix } from '../schema/domain.js';
import type { Bind } from '../schema/filters/filter.js';
import type { NameFilter } from '../schema/filters/filters.js';
import { markedLiterals } from '../schema/filters/glob.js';
import { JOINED_SUFFIXES } from '../schema/filters/word-traits.js';
import { textsToLookUp } from '../schema/filters/reading-filter.js';

export const START = '^';
export const END = '$';
/** The characters of names, rising. */
export const ALPHABET = [...'-0123456789abcdefghijklmnopqrstuvwxyz'];

/** Lengths of the grams that names are cut into; the SQL function domain_grams cuts in the same way. */
export const GRAM_LENGTHS = { pair: 2, short: 3, long: 4 } as const;

/** The pattern with marks where it must meet the beginning or the end of a name: `^coffee`, `coffee$`. */
export function markPattern(q: string, mode: MatchMode): string {
  switch (mode) {
    case 'contains':
      return q;
    case 'prefix':
      return START + q;
    case 'suffix':
      return q + END;
    default:
      return mode satisfies never;
  }
}

/** The texts that a name must have, marked: the keyword, and what lies between the wildcards of a glob. */
export function patternsOf({ q = '', mode, glob, reading }: NameFilter): string[] {
  return [
    ...(q === '' ? [] : [markPattern(q, mode)]),
    ...markedLiterals({ glob }),
    ...textsToLookUp(reading),
  ];
}

/** A name as domain_grams marks it. */
export function markName(name: string): string {
  return START + name + END;
}

/**
 * The grams by which names that match the pattern are found: the long grams of a long pattern, which are the rarest; a
 * shorter pattern is one itself. None for a single character, that so many names have.
 */
export function gramsToLookUp(markedPattern: string): string[] {
  const isTooShort = markedPattern.length < GRAM_LENGTHS.pair;
  return isTooShort ? [] : [...new Set(gramsOf(markedPattern, GRAM_LENGTHS.long))];
}

/** The gram that all names of the suffix have, and no others. */
export function gramOfSuffix(suffix: Suffix): string {
  return `.${suffix}${END}`.slice(0, GRAM_LENGTHS.long);
}

/** So many suffixes are joined, each a list of its own. */
export const MAX_JOINED = 2;

/** The place of a suffix whose names have each pair and short gram once more, joined with it; 0: they have not. */
export function placeOfJoined(suffix: Suffix): number {
  return JOINED_SUFFIXES.findIndex((one) => one === suffix) + 1;
}

/** The gram as only names of these suffixes have it, one for each; null where one of them has no such grams. */
export function joinedGrams(gram: string, suffixes: readonly Suffix[]): string[] | null {
  const places = suffixes.map((suffix) => placeOfJoined(suffix));
  const low = gram.padStart(GRAM_LENGTHS.short, '\0');
  return places.includes(0) ? null : places.map((place) => String.fromCharCode(place) + low);
}

/** A gram as domain_grams writes it: the number that its bytes make. */
export function codeOfGram(gram: string): number {
  return Buffer.from(gram).reduce((code, byte) => (code << 8) | byte, 0);
}

/** Every gram of that length, from the beginning to the end; of a shorter text itself. */
export function gramsOf(markedText: string, length: number): string[] {
  const starts = Math.max(1, markedText.length - length + 1);
  return Array.from({ length: starts }, (_, at) => markedText.slice(at, at + length));
}

/** The characters from the first to the last. */
export function charactersIn([first, last]: readonly [string, string]): string[] {
  return ALPHABET.filter((one) => one >= first && one <= last);
}

/** The first text behind all that start with q, in byte order. q ends in a-z, 0-9 or a hyphen. */
export function endOfPrefix(q: string): string {
  const last = q.length - 1;
  return q.slice(0, last) + String.fromCharCode(q.charCodeAt(last) + 1);
}

/**
 * In byte order, names that begin with the keyword follow one another; PostgreSQL 18 skips to them behind other
 * columns as well.
 */
export function prefixConditions({ q, mode, startsWithDigit = false }: NameFilter, bind: Bind): string[] {
  return [
    ...(q !== undefined && mode === 'prefix'
      ? [`domain >= ${bind(q)} AND domain < ${bind(endOfPrefix(q))}`]
      : []),
    ...(startsWithDigit ? [`domain < 'a'`] : []),
  ];
}
