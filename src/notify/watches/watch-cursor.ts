import { isUUID } from 'class-validator';
import { readCursor, writeCursor, keptParameters } from '../../domains/schema/page-cursor.js';
import { ApiError } from '../../errors/api-error.js';
import { WatchesQuery } from './watch.dto.js';
import type { WatchPlace } from './watch.repository.js';

/** As PostgreSQL writes a time down. */
const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d(:\d\d)?$/;

/** The cursor of the page behind this watch, which may be gone by then. */
export function watchCursorBehind(place: WatchPlace, query: WatchesQuery, accountId: string): string {
  const { isSearch, at, id } = place;
  return writeCursor(listOf(accountId), [isSearch ? 1 : 0, at, id, ...keptParameters(query, WatchesQuery)]);
}

/**
 * Where the page begins; null: at the beginning.
 *
 * @throws {ApiError} invalid_parameter for a cursor that was altered, or is of another list
 */
export function watchPlaceOf({ cursor }: WatchesQuery, accountId: string): WatchPlace | null {
  if (cursor === undefined) return null;
  const [kind, at, id] = readCursor(listOf(accountId), cursor) ?? [];
  if (typeof at !== 'string' || !TIME.test(at) || Number.isNaN(Date.parse(at)) || !isUUID(id))
    throw new ApiError(
      'invalid_parameter',
      'cursor must be the next_cursor of an earlier page of your watches; leave it out to start again',
    );
  return { isSearch: kind === 1, at, id: String(id) };
}

const listOf = (accountId: string) => JSON.stringify(['watches', accountId]);
