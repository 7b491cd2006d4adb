import { isCalendarDate } from '../../domains/schema/calendar-date.js';
import type { DiscoveryQuery, NameCount, SortPosition } from '../../domains/search/discovery-query.js';
import { filterText } from '../../domains/schema/filters/filters.js';
import {
  type CursorPosition,
  isIntegerFrom,
  isNameText,
  readCursor,
  writeCursor,
} from '../../domains/schema/page-cursor.js';
import { LABEL_LENGTH, MAX_WAYBACK } from '../../domains/schema/domain.js';
import { ApiError } from '../../errors/api-error.js';

/** The filters and the order of a search: what a cursor belongs to. */
export type Search = Omit<DiscoveryQuery, 'limit' | 'after' | 'offset'>;

export interface SearchPlace {
  readonly page: number;
  readonly after: SortPosition;
  /** How many names there are on all pages; left out by cursors of earlier releases. */
  readonly counted?: NameCount | undefined;
}

/** Beyond any real page; the other limits come from the column types of the position. */
const MAX_PAGE = 1_000_000_000;
const MAX_NAMES = 1_000_000_000;

/**
 * The cursor of the page after this row.
 * @param kept the search as it was sent (keptParameters)
 */
export function cursorBehind(
  { domain, wayback, length, firstSeen }: SortPosition,
  search: Search,
  { page, counted }: Pick<SearchPlace, 'page' | 'counted'>,
  kept: [] | [string] = [],
): string {
  const count = counted ? [counted.total, counted.low, counted.high, Number(counted.isExact)] : [];
  return writeCursor(canonicalText(search), [page, domain, wayback, length, firstSeen, ...count, ...kept]);
}

/** @throws {ApiError} invalid_parameter for a cursor that was altered or belongs to another search */
export function placeOf(cursor: string, search: Search): SearchPlace {
  const [page, domain, wayback, length, firstSeen, ...count] =
    readCursor(canonicalText(search), cursor) ?? [];
  if (
    !isIntegerFrom(1, MAX_PAGE, page) ||
    !isNameText(domain) ||
    !isIntegerFrom(0, MAX_WAYBACK, wayback) ||
    !isIntegerFrom(0, LABEL_LENGTH.max, length) ||
    (firstSeen !== null && !isDay(firstSeen))
  )
    throw new ApiError(
      'invalid_parameter',
      'cursor must be the next_cursor of an earlier page of the same search, with the same filters ' +
        'and the same sort; leave it out to start again',
    );
  return { page, after: { domain, wayback, length, firstSeen }, counted: countIn(count) };
}

// A forged count misleads only its sender.
function countIn([total, low, high, isExact]: CursorPosition): NameCount | undefined {
  if (!isIntegerFrom(0, MAX_NAMES, total) || !isIntegerFrom(0, MAX_NAMES, low)) return undefined;
  if (high !== null && !isIntegerFrom(0, MAX_NAMES, high)) return undefined;
  return { total, low, high, isExact: isExact === 1 };
}

function isDay(value: unknown): value is string {
  return typeof value === 'string' && isCalendarDate(value);
}

/** The search in a stable spelling. */
export function canonicalText(search: Search): string {
  const { placed, named } = filterText(search);
  return JSON.stringify(['search', ...placed, search.sort, ...named]);
}
