import { ApiError } from '../../errors/api-error.js';
import type { FeedPlace } from './feed-place.dto.js';
import { readCursor, writeCursor } from '../page-cursor.js';

/** What a caller's clock may be ahead of ours. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;
/** There is one feed, so its cursors belong to no query. */
const FEED = 'dropped';

/**
 * The time to begin with, or the number of the last event that was handed out.
 *
 * @throws {ApiError} invalid_parameter
 */
export function feedStartOf({ since, cursor }: FeedPlace, now = new Date()): string | number {
  if (since !== undefined && cursor !== undefined)
    throw new ApiError('invalid_parameter', 'since and cursor exclude each other: send one of them');
  if (cursor !== undefined) return numberOf(cursor);
  if (since === undefined)
    throw new ApiError(
      'invalid_parameter',
      'since or cursor is needed: since where you begin, such as 2026-11-20T00:00:00Z, and the next_cursor of each answer from there on',
    );
  if (Date.parse(since) > now.getTime() + CLOCK_TOLERANCE_MS)
    throw new ApiError(
      'invalid_parameter',
      `since must not lie in the future; here it is ${now.toISOString()}`,
    );
  return since;
}

/** The cursor that goes on behind an event. */
export function feedCursorBehind(number: number): string {
  return writeCursor(FEED, [number]);
}

function numberOf(cursor: string): number {
  const [number] = readCursor(FEED, cursor) ?? [];
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0)
    throw new ApiError(
      'invalid_parameter',
      'cursor must be the next_cursor of an earlier answer of this feed',
    );
  return number;
}
