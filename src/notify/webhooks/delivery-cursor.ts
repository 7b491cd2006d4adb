import { isUUID } from 'class-validator';
import { readCursor, writeCursor, keptParameters } from '../../domains/schema/page-cursor.js';
import { ApiError } from '../../errors/api-error.js';
import { DeliveriesQuery } from './delivery.dto.js';

/** The cursor of the page behind this delivery. */
export function cursorBehind(id: string, query: DeliveriesQuery, webhookId: string): string {
  return writeCursor(logOf(webhookId, query), [id, ...keptParameters(query, DeliveriesQuery)]);
}

/**
 * The delivery that the page begins behind.
 *
 * @throws {ApiError} invalid_parameter for a cursor that was altered, or is of another webhook or another status
 */
export function startOf(query: DeliveriesQuery, webhookId: string): string | undefined {
  const { cursor, after } = query;
  if (cursor === undefined) return after;
  if (after !== undefined)
    throw new ApiError('invalid_parameter', 'after and cursor exclude each other: send one of them');
  const [id] = readCursor(logOf(webhookId, query), cursor) ?? [];
  if (typeof id !== 'string' || !isUUID(id))
    throw new ApiError(
      'invalid_parameter',
      'cursor must be the next_cursor of an earlier page of this webhook, with the same status; ' +
        'leave it out to start again',
    );
  return id;
}

function logOf(webhookId: string, { status }: DeliveriesQuery): string {
  return JSON.stringify(['deliveries', webhookId, status]);
}
