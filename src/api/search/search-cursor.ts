import { isCalendarDate } from '../../domains/schema/calendar-date.js';
import type { DiscoveryQuery, SortPosition } from '../../domains/search/discovery-query.js';
import { filterText } from '../../domains/schema/filters/filters.js';
import { isIntegerFrom, isNameText, readCursor, writeCursor } from '../../domains/schema/page-cursor.js';
import { LABEL_LENGTH, MAX_WAYBACK } from '../../domains/schema/domain.js';
import { ApiError } from '../../errors/api-error.js';

/** The filters and the order of a search: what a cursor belongs to. */
export type Search = Omit<DiscoveryQuery, 'limit' | 'after' | 'offset'>;

/** Where a search goes on. */
export interface SearchPlace {
  readonly page: number;
  readonly after: SortPosition;
}

/** Farther than anybody pages; the other limits are those of the columns that a place is compared with. */
const MAX_PAGE = 1_000_000_000;

/** The cursor of the page behind this row. @param kept the search as it was sent (keptParameters) */
export function cursorBehind(
  { domain, wayback, length, firstSeen }: SortPosition,
  search: Search,
  page: number,
  kept: [] | [string] = [],
): string {
  return writeCursor(canonicalText(search), [page, domain, wayback, length, firstSeen, ...kept]);
}

/** @throws {ApiError} invalid_parameter for a cursor that was altered or belongs to another search */
export function placeOf(cursor: string, search: Search): SearchPlace {
  const [page, domain, wayback, length, firstSeen] = readCursor(canonicalText(search), cursor) ?? [];
  if (
    !isIntegerFrom(1, MAX_PAGE, page) ||
    !isNameText(domain) ||
    !isIntegerFrom(0, MAX_WAYBACK, wayback) ||
    !isIntegerFrom(0, LABEL_LENGTH.max, length) ||
    (firstSeen !== null && !isDay(firstSeen))
  )
    throw new ApiError(
      'invalid_parameter',
      'cursor must be the next_cursor of an earlier page of the same search, with the same filters and the same sort; leave it out to start again',
    );
  return { page, after: { domain, wayback, length, firstSeen } };
}

function isDay(value: unknown): value is string {
  return typeof value === 'string' && isCalendarDate(value);
}

/** The search in a stable spelling. */
export function canonicalText(search: Search): string {
  const { placed, named } = filterText(search);
  return JSON.stringify(['search', ...placed, search.sort, ...named]);
}
