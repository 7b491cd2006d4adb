import type { MatchMode, Suffix } from '../schema/domain.js';
import type { NameFilter, Presence } from './discovery-query.js';
import { matchesWording } from './wording.js';

/** A name as far as filters look at it. */
export interface MatchedName {
  readonly name: string;
  readonly tld: Suffix;
  readonly wayback: number;
}

export interface SampledName extends MatchedName {
  /** YYYY-MM-DD, or null when it is not known. */
  readonly firstSeen: string | null;
}

/** What searches and subscriptions have in common; null is as good as left out. */
export type NameCriteria = Pick<NameFilter, 'suffixes' | 'mode' | 'minWayback'> & {
  readonly [Limit in 'q' | 'maxWayback' | 'minLength' | 'maxLength']?: NameFilter[Limit] | null;
};

/** Whether a name in memory is looked for; name-filter.ts says the same of rows, in SQL. */
export function matchesCriteria(criteria: NameCriteria, { name, tld, wayback }: MatchedName): boolean {
  const { suffixes, q, mode, minWayback, maxWayback, minLength, maxLength } = criteria;
  return (
    wayback >= minWayback &&
    wayback <= (maxWayback ?? Infinity) &&
    name.length >= (minLength ?? 0) &&
    name.length <= (maxLength ?? Infinity) &&
    (suffixes.length === 0 || suffixes.includes(tld)) &&
    matches[mode](name, q ?? '')
  );
}

/** The same of all that a search can ask of the names on offer. */
export function matchesFilter(filter: NameFilter, row: SampledName): boolean {
  return (
    matchesCriteria(filter, row) &&
    (!filter.wording || matchesWording(filter.wording, row.name)) &&
    isWithinDays(filter, row) &&
    agrees(filter.hyphens, row.name.includes('-')) &&
    agrees(filter.numbers, /\d/.test(row.name))
  );
}

const matches: Readonly<Record<MatchMode, (name: string, q: string) => boolean>> = {
  contains: (name, q) => name.includes(q),
  prefix: (name, q) => name.startsWith(q),
  suffix: (name, q) => name.endsWith(q),
};

function isWithinDays({ firstSeenFrom, firstSeenTo }: NameFilter, { firstSeen }: SampledName): boolean {
  if (firstSeenFrom === undefined && firstSeenTo === undefined) return true;
  return firstSeen !== null && firstSeen >= (firstSeenFrom ?? '') && firstSeen <= (firstSeenTo ?? '9999');
}

function agrees(presence: Presence | undefined, isThere: boolean): boolean {
  return presence === undefined || presence === 'allow' || isThere === (presence === 'only');
}
