import type { DiscoveryQuery, SortPosition } from '../domains/discovery/discovery-query.js';
import { readCursor, writeCursor } from '../domains/page-cursor.js';
import type { Domain } from '../domains/domain.js';
import { ApiError } from '../errors/api-error.js';

/** The filters and the order of a search: what a cursor belongs to. */
export type Search = Omit<DiscoveryQuery, 'limit' | 'after' | 'offset'>;

/** Where a search goes on. */
export interface SearchPlace {
  readonly page: number;
  readonly after: SortPosition;
}

/** The cursor of the page behind this row. */
export function cursorBehind(
  { domain, wayback, length, firstSeen }: Domain,
  search: Search,
  page: number,
): string {
  return writeCursor(spell(search), [page, domain, wayback, length, firstSeen]);
}

/** @throws {ApiError} invalid_parameter for a cursor that was altered or belongs to another search */
export function placeOf(cursor: string, search: Search): SearchPlace {
  const [page, domain, wayback, length, firstSeen] = readCursor(spell(search), cursor) ?? [];
  if (
    typeof page !== 'number' ||
    typeof domain !== 'string' ||
    typeof wayback !== 'number' ||
    typeof length !== 'number' ||
    (typeof firstSeen !== 'string' && firstSeen !== null)
  )
    throw new ApiError(
      'invalid_parameter',
      'cursor must be the next_cursor of an earlier page of the same search, with the same filters and the same sort; leave it out to start again',
    );
  return { page, after: { domain, wayback, length, firstSeen } };
}

function spell(search: Search): string {
  return JSON.stringify([
    'search',
    search.q,
    search.mode,
    search.suffixes.toSorted(),
    search.minWayback,
    search.maxWayback,
    search.minLength,
    search.maxLength,
    search.hyphens,
    search.numbers,
    search.firstSeenFrom,
    search.firstSeenTo,
    search.sort,
  ]);
}
