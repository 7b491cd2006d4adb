import { ApiError } from '../../errors/api-error.js';
import { parseWalPosition } from '../../db/replicas/wal.js';
import type { FeedStart } from './domain-event.repository.js';
import type { FeedPlace } from './feed-place.dto.js';
import { readCursor, writeCursor } from '../schema/page-cursor.js';

/** What a caller's clock may be ahead of ours. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;
/** There is one feed, so its cursors belong to no query. */
const FEED = 'dropped';

/**
 * The time to begin with, or what the cursor says.
 *
 * @throws {ApiError} invalid_parameter
 */
export function feedStartOf({ since, cursor }: FeedPlace, now = new Date()): string | FeedStart {
  if (since !== undefined && cursor !== undefined)
    throw new ApiError('invalid_parameter', 'since and cursor exclude each other: send one of them');
  if (cursor !== undefined) return startOf(cursor);
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

/** The cursor that goes on behind an event. @param kept what was asked for (keptParameters) */
export function feedCursorBehind({ number, seen }: FeedStart, kept: [] | [string] = []): string {
  return writeCursor(FEED, seen === null && kept.length === 0 ? [number] : [number, seen, ...kept]);
}

// Cursors of earlier releases, and those made where there are no replicas, have the number alone.
function startOf(cursor: string): FeedStart {
  const [number, seen = null] = readCursor(FEED, cursor) ?? [];
  const isNumber = typeof number === 'number' && Number.isSafeInteger(number) && number >= 0;
  const isSeen = seen === null || (typeof seen === 'string' && parseWalPosition(seen) !== null);
  if (!isNumber || !isSeen)
    throw new ApiError(
      'invalid_parameter',
      'cursor must be the next_cursor of an earlier answer of this feed',
    );
  return { number, seen };
}
