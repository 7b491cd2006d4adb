import { ApiSchema } from '@nestjs/swagger';
import { parseWalPosition } from '../../db/replicas/wal.js';
import { ApiError } from '../../errors/api-error.js';
import { eventOf, FEED_TYPES } from '../schema/events.js';
import { Cursor, Moment, readCursor, writeCursor } from '../schema/page-cursor.js';
import { type DomainEvent, EVENTS_KEPT_MONTHS, type FeedStart } from './domain-event.repository.js';
import { oneOf, optional, shape, time } from '../../validation/shape.js';

@ApiSchema({
  name: 'FeedPlace',
  description: 'Where in the feed to begin: a time, or the place that an earlier answer reached.',
})
export class FeedPlace {
  @Moment(
    'Where to begin: events of this time and later (ISO 8601 with an offset). Either this or cursor is needed.',
    '2026-11-18T00:00:00Z',
  )
  since?: string;

  @Cursor('answer', 'next_cursor of the answer before; instead of since.')
  cursor?: string;
}

/** Of an answer that begins with `since`. */
export const MISSING_BEFORE = optional(
  time(
    `Events are kept for ${EVENTS_KEPT_MONTHS} months: since asks for some before this time, and they were deleted. ` +
      'A copy begins with a snapshot instead. Absent where none are missing.',
    '2024-10-26T00:00:00.000Z',
  ),
);

/** There is one feed, so its cursors belong to no query. */
const FEED = 'dropped';

/**
 * The time to begin with, or what the cursor says.
 *
 * @throws {ApiError} invalid_parameter
 */
export function feedStartOf({ since, cursor }: FeedPlace): string | FeedStart {
  if (since !== undefined && cursor !== undefined)
    throw new ApiError('invalid_parameter', 'since and cursor exclude each other: send one of them');
  if (cursor !== undefined) return startOf(cursor);
  if (since === undefined)
    throw new ApiError(
      'invalid_parameter',
      'since or cursor is needed: since where you begin, such as 2026-11-20T00:00:00Z, and the ' +
        'next_cursor of each answer from there on',
    );
  return since;
}

/** The cursor that continues after an event. @param kept the parameters (keptParameters) */
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

@ApiSchema({ name: 'DomainEvent', description: 'What happened to a name, and when.' })
export class DomainEventDto extends shape({
  type: oneOf(
    FEED_TYPES,
    `${FEED_TYPES.map((type) => `\`${type}\`: ${eventOf(type).when}`).join('; ')}. A name that drops ` +
      'again has a new event.',
    'domain.dropped',
  ),
  timestamp: time(
    'When the dataset learned of it (ISO 8601 UTC). Never earlier than the event before.',
    '2026-11-18T02:00:00.000Z',
  ),
}) {}

export function toEventDto({ type, occurredAt }: DomainEvent): DomainEventDto {
  return { type, timestamp: occurredAt.toISOString() };
}
