import { MAX_PAGE_SIZE } from '../../config/tiers.js';
import type { Suffix } from '../schema/domain.js';
import { isNearlyPlain, isPlain, type NameFilter } from '../schema/filters/filters.js';

/** How far names are counted that have to be looked at one by one. */
export const MAX_COUNTED = 20_000;

/** How many names pass a filter, with the limits of a 95 % interval; all three are the same where it is exact. */
export interface NameCount {
  readonly total: number;
  readonly low: number;
  /** Null: not known. */
  readonly high: number | null;
  readonly isExact: boolean;
}

export function exactly(total: number): NameCount {
  return { total, low: total, high: total, isExact: true };
}

/** Nothing is said to be there that cannot be shown. */
export const NOTHING_COUNTED: NameCount = { total: 0, low: 0, high: null, isExact: false };

/** What a list says that is empty because the time cap struck: it is no answer to the question. */
export const NOTHING_KNOWN =
  'Nothing is known: the time was over before the first name was found. Ask again, or narrow the search.';

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
  /** Only rows whose names begin with a character from the first to the last of these: a head of an order by name. */
  readonly initials?: readonly [string, string];
  /** In an order by day no rows at all where a name was first seen beyond this day: it would come first. */
  readonly noneBeyond?: string;
  /** Rows to leave out first. */
  readonly offset?: number;
  /** At most {@link MAX_LIMIT} for whole rows. */
  readonly limit: number;
}

/** The largest page, and the row that tells whether another follows. */
export const MAX_LIMIT = MAX_PAGE_SIZE + 1;

/** Whether this is a question that suggest asks too: a keyword, suffixes and a least score, the best first. */
export function isCommon(query: DiscoveryQuery): boolean {
  return isPlain(query) && isFirstByRank(query);
}

/** Whether its texts are few enough for each session to keep them prepared. */
export function isRepeated(query: DiscoveryQuery): boolean {
  return isNearlyPlain(query) && isFirstByRank(query);
}

function isFirstByRank({ sort = BY_RANK, after, offset = 0 }: DiscoveryQuery): boolean {
  return (
    sort.key === BY_RANK.key && sort.direction === BY_RANK.direction && after === undefined && offset === 0
  );
}

/** How many names have one value of one of these; the others are null, and all are where the first day is not known. */
export interface FacetRow {
  readonly tld: Suffix | null;
  readonly length: number | null;
  readonly hyphens: boolean | null;
  readonly numbers: boolean | null;
  /** Lower limit of a band. */
  readonly score: number | null;
  /** YYYY-MM. */
  readonly month: string | null;
  readonly names: number;
}
