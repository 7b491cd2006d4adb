import { isCalendarDate } from '../../domains/schema/calendar-date.js';
import { MAX_WAYBACK } from '../../domains/schema/domain.js';
import type { UpcomingFilter, UpcomingPosition } from '../../domains/feed/upcoming-drop.repository.js';
import { isIntegerFrom, isNameText, readCursor, writeCursor } from '../../domains/schema/page-cursor.js';
import { ApiError } from '../../errors/api-error.js';

/** The cursor of the page behind this name. @param kept the filter as it was sent (keptParameters) */
export function cursorBehind(
  { purgeAt, wayback, domain }: UpcomingPosition,
  filter: UpcomingFilter,
  kept: [] | [string] = [],
): string {
  return writeCursor(canonicalText(filter), [purgeAt.toISOString(), wayback, domain, ...kept]);
}

/** @throws {ApiError} invalid_parameter for a cursor that was altered or belongs to other filters */
export function positionOf(cursor: string, filter: UpcomingFilter): UpcomingPosition {
  const [purgeAt, wayback, domain] = readCursor(canonicalText(filter), cursor) ?? [];
  if (!isMoment(purgeAt) || !isIntegerFrom(0, MAX_WAYBACK, wayback) || !isNameText(domain))
    throw new ApiError(
      'invalid_parameter',
      'cursor must be the next_cursor of an earlier page with the same filters; leave it out to start again',
    );
  return { purgeAt: new Date(purgeAt), wayback, domain };
}

/** The filter in a stable spelling. */
export function canonicalText({ day, suffixes, kind, q, minWayback }: UpcomingFilter): string {
  return JSON.stringify(['upcoming', day, suffixes.toSorted(), kind, q, minWayback]);
}

function isMoment(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/.test(value) &&
    isCalendarDate(value.slice(0, 10))
  );
}
