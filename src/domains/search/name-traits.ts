import type { NameFilter } from '../schema/filters/filters.js';
import { GRAM_LENGTHS, type GramLookup, lookupOf, markPattern } from './pattern-grams.js';

/**
 * What names have in common beside their grams, listed in the same indexes, so that a name which a filter throws
 * away is not read from the table first. A name passes only if it has one of the codes; the filter has the last
 * word.
 */
export interface TraitLookup {
  /** As the SQL function domain_traits writes them. */
  readonly codes: readonly number[];
  /** The part of the filter that it stands for. */
  readonly asks: Partial<NameFilter>;
}

/** More weeks than this are most of the names, or nearly so. */
const MAX_WEEKS = 30;
/** Characters that the index lists: at most one name in eight has them. More common ones are soon met in any order. */
const LISTED_CHARACTERS = 'jqvxz0123456789';
/** Names with hyphens and no digits, with digits and no hyphens, with both. */
const HYPHENS = 1;
const DIGITS = 2;
const BOTH = 3;

const FIRST_DAY_MS = Date.parse('0001-01-01');
const WEEK_MS = 604_800_000;

/** What the index lists of what the filter asks for beside its pattern. */
export function traitsOf(filter: NameFilter): TraitLookup[] {
  return [...presenceTraits(filter), ...weekTraits(filter)];
}

/** A pattern of one character, which has no gram. */
export function characterTraits({ q = '', mode }: NameFilter): TraitLookup[] {
  if (q.length !== 1 || mode !== 'contains') return [];
  if (q === '-') return [{ codes: [HYPHENS, BOTH], asks: { hyphens: 'only' } }];
  return LISTED_CHARACTERS.includes(q) ? [{ codes: [q.charCodeAt(0)], asks: { q, mode } }] : [];
}

/**
 * Whether every name that the lookup finds has the pattern: it is a gram or a listed character itself, or the grams
 * are all that it may be a part of. Names are cut into all their grams, so these say as much as the pattern does.
 */
export function provesPattern({ every, some, traits = [] }: GramLookup, filter: NameFilter): boolean {
  const { q, mode } = filter;
  if (q === undefined) return false;
  const pattern = markPattern(q, mode);
  if (pattern.length >= GRAM_LENGTHS.short) return every.includes(pattern);
  const parts = lookupOf(pattern)?.some;
  // Parts of two patterns begin with the same one only if they are all the same.
  if (parts) return some[0] === parts[0];
  return characterTraits(filter).some((trait) => traits.some((codes) => codes.join() === trait.codes.join()));
}

// What the keyword has already narrows nothing.
function presenceTraits({ q = '', ...filter }: NameFilter): TraitLookup[] {
  const { hyphens = 'allow' } = q.includes('-') ? {} : filter;
  const { numbers = 'allow' } = /\d/.test(q) ? {} : filter;
  const codes = [
    ...(hyphens === 'only' && numbers !== 'only' ? [HYPHENS] : []),
    ...(numbers === 'only' && hyphens !== 'only' ? [DIGITS] : []),
    ...((hyphens === 'only' && numbers !== 'exclude') || (numbers === 'only' && hyphens !== 'exclude')
      ? [BOTH]
      : []),
  ];
  return codes.length === 0 ? [] : [{ codes, asks: { hyphens, numbers } }];
}

/** Weeks and not months, as a span of days covers few that it cuts through. */
function weekTraits({ firstSeenFrom, firstSeenTo }: NameFilter): TraitLookup[] {
  if (firstSeenFrom === undefined || firstSeenTo === undefined) return [];
  const first = weekOf(firstSeenFrom);
  const count = weekOf(firstSeenTo) - first + 1;
  if (!(count >= 1 && count <= MAX_WEEKS)) return [];
  const codes = Array.from({ length: count }, (_, place) => first + place);
  return [{ codes, asks: { firstSeenFrom, firstSeenTo } }];
}

/** Weeks since the first day of the calendar. @param day YYYY-MM-DD */
function weekOf(day: string): number {
  return Math.floor((Date.parse(day) - FIRST_DAY_MS) / WEEK_MS);
}
