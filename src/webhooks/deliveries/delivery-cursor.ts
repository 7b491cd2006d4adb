import { isUUID } from 'class-validator';
import { readCursor, writeCursor } from '../../domains/page-cursor.js';
import { ApiError } from '../../errors/api-error.js';
import { DELIVERY_STATES, type DeliveryState } from '../webhook.js';
import type { DeliveriesQuery } from './delivery.dto.js';

/** Which deliveries a page shows, and behind which one it begins. */
interface Page {
  readonly status: DeliveryState | undefined;
  readonly after: string | undefined;
}

/** The cursor of the page behind this delivery: it goes on by itself, so it holds the status as well. */
export function cursorBehind(id: string, status: DeliveryState | undefined, webhookId: string): string {
  return writeCursor(logOf(webhookId), [id, status ?? null]);
}

/** @throws {ApiError} invalid_parameter for a cursor that was altered, or is of another webhook or another status */
export function pageOf({ status, cursor, after }: DeliveriesQuery, webhookId: string): Page {
  if (cursor === undefined) return { status, after };
  if (after !== undefined)
    throw new ApiError('invalid_parameter', 'after and cursor exclude each other: send one of them');
  const [id, kept = null] = readCursor(logOf(webhookId), cursor) ?? [];
  const known = DELIVERY_STATES.find((state) => state === kept);
  if (!isUUID(id) || typeof id !== 'string' || (kept !== null && !known) || (status && status !== known))
    throw new ApiError(
      'invalid_parameter',
      'cursor must be the next_cursor of an earlier page of this webhook, with the same status; leave it out to start again',
    );
  return { status: known, after: id };
}

function logOf(webhookId: string): string {
  return `deliveries ${webhookId}`;
}
