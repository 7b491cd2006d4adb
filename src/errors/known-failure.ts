import { DatabaseUnavailable } from '../db/database-unavailable.js';
import { isSqlState, LOCK_NOT_AVAILABLE, QUERY_CANCELED } from '../db/sql-state.js';
import { ApiError } from './api-error.js';

const DATABASE_RETRY_AFTER_SECONDS = 5;

/** What the caller is told of a failure that has a place in the error table. @returns null when it has none */
export function knownFailure(thrown: unknown): ApiError | null {
  if (thrown instanceof ApiError) return thrown;
  const cause = thrown instanceof DatabaseUnavailable ? thrown.cause : thrown;
  const isStalled = STALLED.some((sqlState) => isSqlState(cause, sqlState));
  if (!isStalled && !(thrown instanceof DatabaseUnavailable)) return null;
  return new ApiError('database_unavailable', isStalled ? IS_STALLED : IS_AWAY, {
    retryAfterSeconds: DATABASE_RETRY_AFTER_SECONDS,
    cause,
  });
}

/** Where an answer that is cut by the time cap would be taken for a whole one: nothing is answered, and nothing is charged. */
export function notInTime(): ApiError {
  return new ApiError('database_unavailable', IS_STALLED, {
    retryAfterSeconds: DATABASE_RETRY_AFTER_SECONDS,
  });
}

const STALLED = [LOCK_NOT_AVAILABLE, QUERY_CANCELED];
const IS_STALLED =
  'The database did not get to this in time: it is busy, or what this needs is locked by other work. Nothing is known; please try again.';
const IS_AWAY = 'The database is away for a moment; please try again.';
