import { MAX_PAGE_SIZE } from '../../config/tiers.js';
import type { MatchMode, Suffix } from '../schema/domain.js';
import type { DomainState } from '../schema/states.js';
import type { Wording } from './wording.js';

/** Whether names may, must not or must have something. */
export const PRESENCES = ['allow', 'exclude', 'only'] as const;
export type Presence = (typeof PRESENCES)[number];

/** Which names are looked for, among those that are not withheld. Limits are included. */
export interface NameFilter {
  /** Left out: those that are available, which is all that is ever offered. */
  readonly states?: readonly DomainState[];
  /** What the name has, as `mode` says: at least one of a-z, 0-9 and hyphen. */
  readonly q?: string;
  readonly mode: MatchMode;
  /** Empty: all. */
  readonly suffixes: readonly Suffix[];
  readonly minWayback: number;
  readonly maxWayback?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly hyphens?: Presence;
  /** Digits in the name. */
  readonly numbers?: Presence;
  /** YYYY-MM-DD. A name whose day is not known is in no range of days. */
  readonly firstSeenFrom?: string;
  readonly firstSeenTo?: string;
  /** ISO 8601. Only names of which somebody said at this time or later what they are now. */
  readonly confirmedSince?: string;
  readonly wording?: Wording;
}

/** Every name on offer. */
export const NO_LIMITS = { mode: 'contains', suffixes: [], minWayback: 0 } as const satisfies NameFilter;

/** Whether names in other states than `available` are asked for, which the indexes of discovery do not hold. */
export function asksForOtherStates({ states }: NameFilter): boolean {
  return states?.some((state) => state !== 'available') ?? false;
}

/** Fewest characters of the names that pass: a name is as long as what it has, at least. */
export function leastLength({ minLength = 0, q = '' }: NameFilter): number {
  return Math.max(minLength, q.length);
}

/** Whether the filter asks for days at all. */
export function asksForDays({ firstSeenFrom, firstSeenTo }: NameFilter): boolean {
  return firstSeenFrom !== undefined || firstSeenTo !== undefined;
}

/** How far names are counted that have to be looked at one by one. */
export const MAX_COUNTED = 10_000;

/** How many names pass a filter. */
export interface NameCount {
  readonly total: number;
  /** Whether there may be more: counting went no further, or the time cap struck. */
  readonly isCapped: boolean;
}

export const SORT_KEYS = ['wayback', 'first_seen', 'length', 'domain'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

/** `asc` is the reverse of `desc`, but that names whose first day is not known come last in both. */
export interface SortOrder {
  readonly key: SortKey;
  readonly direction: 'asc' | 'desc';
}

/** The best first, and names of one score by name: the order of rank. */
export const BY_RANK: SortOrder = { key: 'wayback', direction: 'desc' };

/** The last row that was handed out, as far as it says where the next begins. */
export interface SortPosition {
  readonly domain: string;
  readonly wayback: number;
  readonly length: number;
  readonly firstSeen: string | null;
}

/** What discovery is asked for. */
export interface DiscoveryQuery extends NameFilter {
  /** {@link BY_RANK} when left out. */
  readonly sort?: SortOrder;
  /** Only rows behind this one. */
  readonly after?: SortPosition;
  /** Rows to leave out first. */
  readonly offset?: number;
  /** At most {@link MAX_LIMIT} for whole rows. */
  readonly limit: number;
}

/** The largest page, and one row more that tells whether another follows. */
export const MAX_LIMIT = MAX_PAGE_SIZE + 1;

/** Whether this is a question that suggest asks too: a pattern, suffixes and a least score, the best first. */
export function isCommon(query: DiscoveryQuery): boolean {
  const { sort = BY_RANK, after, offset = 0 } = query;
  const isByRank = sort.key === BY_RANK.key && sort.direction === BY_RANK.direction;
  return !isNarrowed(query) && isByRank && after === undefined && offset === 0;
}

/** Whether the filter asks for more than a pattern, suffixes and a least score. */
function isNarrowed(filter: NameFilter): boolean {
  const { maxWayback, minLength, maxLength, hyphens, numbers, firstSeenFrom, firstSeenTo, confirmedSince } =
    filter;
  const limits = [
    maxWayback,
    minLength,
    maxLength,
    hyphens,
    numbers,
    firstSeenFrom,
    firstSeenTo,
    confirmedSince,
  ];
  const isWorded = filter.wording !== undefined;
  return (
    isWorded || asksForOtherStates(filter) || limits.some((limit) => limit !== undefined && limit !== 'allow')
  );
}
