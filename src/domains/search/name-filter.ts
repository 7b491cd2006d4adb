import { SUFFIXES } from '../schema/domain.js';
import type { NameFilter, Presence } from './discovery-query.js';
import { endOfPrefix, likePattern } from './pattern-grams.js';
import { LABEL_OF_DOMAIN, wordingConditions } from './wording.js';

/** Puts a value among a statement's parameters. @returns how the statement names it: `$3` */
export type Bind = (value: unknown) => string;

/** The conditions of a filter on whole rows, in SQL; to be joined by AND. */
export function filterConditions(filter: NameFilter, bind: Bind): string[] {
  const { q, mode } = filter;
  return [
    ...(q === undefined ? [] : [`name LIKE ${bind(likePattern(q, mode))}`]),
    ...suffixConditions(filter, bind),
    ...scoreConditions(filter, bind),
    ...lengthConditions(filter, 'length', bind),
    ...presenceInRow(filter),
    ...dayConditions(filter, bind),
    ...confirmationConditions(filter, bind),
    ...wordingConditions(filter.wording, 'name', bind),
  ];
}

/**
 * The pattern, where only the domain is at hand. LIKE on the whole of it takes half the time of cutting the name out first, which
 * is left to do where the pattern may lie in the suffix. One condition and not both, as the planner takes each to let hardly any pass.
 */
export function patternOnDomain({ q, mode, wording }: NameFilter, bind: Bind): string[] {
  return [...keywordOnDomain({ q, mode }, bind), ...wordingConditions(wording, LABEL_OF_DOMAIN, bind)];
}

function keywordOnDomain({ q, mode }: Pick<NameFilter, 'q' | 'mode'>, bind: Bind): string[] {
  if (q === undefined) return [];
  const pattern = { contains: `%${q}%`, prefix: `${q}%`, suffix: `%${q}.%` }[mode];
  const sought = pattern.replaceAll('%', '');
  return mode !== 'prefix' && SUFFIXES.some((tld) => `.${tld}`.includes(sought))
    ? [`split_part(domain, '.', 1) LIKE ${bind(likePattern(q, mode))}`]
    : [`domain LIKE ${bind(pattern)}`];
}

/** In byte order, names that begin with the pattern follow one another; PostgreSQL 18 skips to them behind other columns as well. */
export function prefixConditions({ q, mode }: NameFilter, bind: Bind): string[] {
  return q !== undefined && mode === 'prefix'
    ? [`domain >= ${bind(q)} AND domain < ${bind(endOfPrefix(q))}`]
    : [];
}

/**
 * The names that are looked at, as one condition for each index that holds them: those that are available have indexes of
 * their own, and the others are in one that begins with the state. Spelled as in the indexes, for the planner to see it.
 */
export function populations({ states = ['available'] }: NameFilter): string[] {
  return states.map((state) =>
    state === 'available'
      ? 'available AND NOT hidden'
      : `state = '${state}' AND NOT available AND NOT hidden`,
  );
}

export function confirmationConditions({ confirmedSince }: NameFilter, bind: Bind): string[] {
  return confirmedSince === undefined ? [] : [`checked_at >= ${bind(confirmedSince)}::timestamptz`];
}

export function suffixConditions({ suffixes }: NameFilter, bind: Bind): string[] {
  return suffixes.length === 0 ? [] : [`tld = ANY (${bind(suffixes)})`];
}

export function scoreConditions({ minWayback, maxWayback }: NameFilter, bind: Bind): string[] {
  return [
    // Asked for even when it is 0: one text for all scores is one prepared plan.
    `wayback >= ${bind(minWayback)}`,
    ...(maxWayback === undefined ? [] : [`wayback <= ${bind(maxWayback)}`]),
  ];
}

/**
 * Length, hyphens and digits, where the domain is at hand and not the row.
 *
 * @param length how the length is known: the column, or where only the domain is at hand, {@link LENGTH_OF_DOMAIN}
 */
export function shapeConditions(filter: NameFilter, length: string, bind: Bind): string[] {
  return [...lengthConditions(filter, length, bind), ...presenceInDomain(filter)];
}

/** Hyphens and digits, where the row is at hand, or an index that has their numbers. */
export function presenceInRow({ hyphens, numbers }: NameFilter): string[] {
  return [
    ...presenceCondition(hyphens, 'hyphens > 0', 'hyphens = 0'),
    ...presenceCondition(numbers, 'digits > 0', 'digits = 0'),
  ];
}

/** The same where only the domain is. No suffix has either. */
export function presenceInDomain({ hyphens, numbers }: NameFilter): string[] {
  return [
    ...presenceCondition(hyphens, `domain LIKE '%-%'`),
    ...presenceCondition(numbers, `domain ~ '[0-9]'`),
  ];
}

export const LENGTH_OF_DOMAIN = `(strpos(domain, '.') - 1)`;

export function lengthConditions({ minLength, maxLength }: NameFilter, length: string, bind: Bind): string[] {
  return [
    ...(minLength === undefined ? [] : [`${length} >= ${bind(minLength)}`]),
    ...(maxLength === undefined ? [] : [`${length} <= ${bind(maxLength)}`]),
  ];
}

export function dayConditions({ firstSeenFrom, firstSeenTo }: NameFilter, bind: Bind): string[] {
  return [
    ...(firstSeenFrom === undefined ? [] : [`first_seen >= ${bind(firstSeenFrom)}::date`]),
    ...(firstSeenTo === undefined ? [] : [`first_seen <= ${bind(firstSeenTo)}::date`]),
  ];
}

/** @param absence what says the opposite */
function presenceCondition(
  presence: Presence | undefined,
  condition: string,
  absence = `NOT ${condition}`,
): string[] {
  switch (presence) {
    case undefined:
    case 'allow':
      return [];
    case 'exclude':
      return [absence];
    case 'only':
      return [condition];
    default:
      return presence satisfies never;
  }
}
