import { LABEL_LENGTH } from '../schema/domain.js';
import type { TriState } from '../schema/filters/filter.js';
import type { NameFilter } from '../schema/filters/filters.js';
import { mayBegin } from '../schema/filters/further-filters.js';
import {
  lettersOf,
  MAX_SHAPE_LENGTH,
  MAX_SHAPE_WORDS,
  shapesOf,
  WORD_CODES,
} from '../schema/filters/word-traits.js';
import type { DiscoveryQuery } from './discovery-query.js';
import { ALPHABET, charactersIn, markPattern, MAX_JOINED, placeOfJoined } from './pattern-grams.js';

type Limits = NameFilter & Pick<DiscoveryQuery, 'initials'>;

/**
 * What names have in common beside their grams, listed in the same indexes, so that a name which a filter throws
 * away is not read from the table first. A name passes only if it has one of the codes; the filter has the last
 * word.
 */
export interface TraitLookup {
  /** As the SQL function domain_traits writes them. */
  readonly codes: readonly number[];
  /** The part of the filter that it stands for. */
  readonly asks: Partial<Limits>;
  /** Whether the codes are those of domain_word_traits. */
  readonly isOfWords?: boolean;
  /** What every name that has one of the codes passes, so that it is not asked again. */
  readonly proves?: readonly (keyof NameFilter)[];
}

/**
 * What to look up: names that have every one of `every`, one at least of `some` unless that is empty, and one of the
 * codes of each of `traits`.
 */
export interface GramLookup {
  readonly every: readonly string[];
  readonly some: readonly string[];
  readonly traits?: readonly TraitLookup[];
}

/** More weeks than this are most of the names, or nearly so. */
const MAX_WEEKS = 200;
/** Names with hyphens and no digits, with digits and no hyphens, with both. */
const HYPHENS = 1;
const DIGITS = 2;
const BOTH = 3;
/** What codes are counted from: of lengths and of weeks, each alone and in blocks; of first characters. */
const LENGTHS = { one: 200, block: 300 };
const WEEKS = { one: 0, block: 1_000_000 };
const FIRST_BYTES = 400;
const BLOCK = 4;
/** Years between captures. */
const MAX_YEARS = 100;
/** Lists of shapes by length: as many as it takes 2 ms to begin. More lengths are nearly all names, in many lists. */
const MAX_SHAPE_LISTS = 256;
const MAX_SHAPE_LENGTHS = 24;
/** Longer names share its code. */
const MAX_LENGTH = 32;

export const DIGIT_INITIALS = ['0', '9'] as const;

const FIRST_DAY_MS = Date.parse('0001-01-01');
const WEEK_MS = 604_800_000;

/** What names that pass may begin with, rising. */
export function initialsOf({ numbers, startsWithDigit, pattern = '' }: NameFilter): string[] {
  const isDigit = startsWithDigit ?? (numbers === 'exclude' ? false : undefined);
  return ALPHABET.filter(
    (initial) => (isDigit ?? initial < 'a') === initial < 'a' && mayBegin(pattern, initial),
  );
}

/** What the index lists of what the filter asks for beside its pattern. */
export function traitsOf(filter: Limits): TraitLookup[] {
  return [
    ...presenceTraits(filter),
    ...weekTraits(filter),
    ...lengthTraits(filter),
    ...initialTraits(filter),
    ...shapeTraits(filter),
    ...letterTraits(filter),
    ...yearTraits(filter),
  ];
}

/** Whether a list asks for all that the other does: it is no reason to expect fewer of its names. */
export function isImplied({ asks }: TraitLookup, by: TraitLookup): boolean {
  const asked = { ...(by.asks.pattern !== undefined && { minLength: 0, maxLength: 0 }), ...by.asks };
  return Object.entries<unknown>(asks).every(
    ([key, value]) => value === undefined || value === 'allow' || asked[key as keyof Limits] !== undefined,
  );
}

/** Whether every name that the lookup finds has the pattern: it is a gram itself. */
export function provesPattern({ every }: GramLookup, { q, mode }: NameFilter): boolean {
  return q !== undefined && every.includes(markPattern(q, mode));
}

/** What every name passes that the traits find: undefined, so that it is not asked again. */
export function provenByTraits({ traits = [] }: GramLookup): Partial<NameFilter> {
  return Object.fromEntries(traits.flatMap(({ proves = [] }) => proves.map((key) => [key, undefined])));
}

function letterTraits({ pattern }: NameFilter): TraitLookup[] {
  const codes = lettersOf(pattern);
  return codes ? [{ codes, asks: { pattern }, isOfWords: true, proves: ['pattern'] }] : [];
}

function yearTraits({ minYears, maxYears }: NameFilter): TraitLookup[] {
  if (minYears === undefined && maxYears === undefined) return [];
  const codes = numbersBetween(minYears ?? 1, maxYears ?? MAX_YEARS).map((year) => WORD_CODES.years + year);
  return [{ codes, asks: { minYears, maxYears }, isOfWords: true }];
}

/** By the first characters, or by the lengths unless they are too many. */
function shapeTraits(filter: Limits): TraitLookup[] {
  const shapes = shapesOf(filter);
  if (!shapes) return [];
  const { q, mode, dictionary, minWords, maxWords, hyphens, suffixes } = filter;
  const initials =
    q !== undefined && mode === 'prefix' ? ([q.slice(0, 1), q.slice(0, 1)] as const) : filter.initials;
  const { minLength = LABEL_LENGTH.min, maxLength = LABEL_LENGTH.max } = filter;
  const places = suffixes.map(placeOfJoined);
  const isJoined = places.length > 0 && places.length <= MAX_JOINED && !places.includes(0);
  const lengths = numbersBetween(
    Math.min(minLength, MAX_SHAPE_LENGTH),
    Math.min(maxLength, MAX_SHAPE_LENGTH),
  );
  const { alone, byLength, byInitial, joined } = WORD_CODES;
  const isByLength =
    !initials && lengths.length <= MAX_SHAPE_LENGTHS && lengths.length * shapes.length <= MAX_SHAPE_LISTS;
  const codes = shapes.flatMap((shape) => {
    if (initials) return initialCodes(initials).map((byte) => byInitial.from + shape * byInitial.each + byte);
    return isByLength ? lengths.map((length) => shape * byLength + length) : [alone + shape];
  });
  const asks = { dictionary, minWords, maxWords, hyphens, initials, ...(isJoined && { suffixes }) };
  return [
    {
      ...{ isOfWords: true, asks: { ...asks, ...(isByLength && { minLength, maxLength }) } },
      // Labels of many words have one code.
      proves:
        Math.max(minWords ?? 0, maxWords ?? 0) < MAX_SHAPE_WORDS
          ? ['dictionary', 'minWords', 'maxWords']
          : [],
      codes: isJoined ? places.flatMap((place) => codes.map((code) => place * joined + code)) : codes,
    },
  ];
}

function numbersBetween(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
}

// What the keyword has already narrows nothing.
function presenceTraits({ q = '', ...filter }: NameFilter): TraitLookup[] {
  const { hyphens = 'allow' } = q.includes('-') ? {} : filter;
  const { numbers = 'allow' } = /\d/.test(q) ? {} : filter;
  if (hyphens !== 'only' && numbers !== 'only') return [];
  const lets = (asked: TriState, has: boolean) => asked !== (has ? 'exclude' : 'only');
  const codes = [HYPHENS, DIGITS, BOTH].filter(
    (code) => lets(hyphens, code !== DIGITS) && lets(numbers, code !== HYPHENS),
  );
  return [{ codes, asks: { hyphens, numbers } }];
}

function lengthTraits({ minLength = 1, maxLength = LABEL_LENGTH.max }: NameFilter): TraitLookup[] {
  if (minLength <= LABEL_LENGTH.min && maxLength >= LABEL_LENGTH.max) return [];
  const [first, last] = [Math.min(MAX_LENGTH, minLength), Math.min(MAX_LENGTH, maxLength)];
  return [{ codes: codesBetween(first, last, LENGTHS), asks: { minLength, maxLength } }];
}

function initialTraits({
  startsWithDigit = false,
  initials = startsWithDigit ? DIGIT_INITIALS : undefined,
}: Limits): TraitLookup[] {
  if (!initials) return [];
  // All digits have one code.
  const bytes = initialCodes(initials).map((byte) => Math.max(byte, '9'.charCodeAt(0)));
  return [{ codes: [...new Set(bytes)].map((byte) => FIRST_BYTES + byte), asks: { initials } }];
}

function initialCodes(range: readonly [string, string]): number[] {
  return charactersIn(range).map((initial) => initial.charCodeAt(0));
}

/** As few codes as there are for all numbers from the first to the last: whole blocks have one of their own. */
function codesBetween(first: number, last: number, base: { one: number; block: number }): number[] {
  const codes: number[] = [];
  for (let at = first; at <= last;) {
    const isBlock = at % BLOCK === 0 && at + BLOCK - 1 <= last;
    codes.push(isBlock ? base.block + at / BLOCK : base.one + at);
    at += isBlock ? BLOCK : 1;
  }
  return codes;
}

/** Weeks and not months, as a span of days covers few that it cuts through. */
function weekTraits({ firstSeenFrom, firstSeenTo }: NameFilter): TraitLookup[] {
  if (firstSeenFrom === undefined || firstSeenTo === undefined) return [];
  const first = weekOf(firstSeenFrom);
  const count = weekOf(firstSeenTo) - first + 1;
  if (!(count >= 1 && count <= MAX_WEEKS)) return [];
  return [{ codes: codesBetween(first, first + count - 1, WEEKS), asks: { firstSeenFrom, firstSeenTo } }];
}

/** Weeks since the first day of the calendar. @param day YYYY-MM-DD */
function weekOf(day: string): number {
  return Math.floor((Date.parse(day) - FIRST_DAY_MS) / WEEK_MS);
}
