import { DatabaseUnavailable } from '../database/database-unavailable.js';
import { ApiError } from './api-error.js';

const DATABASE_RETRY_AFTER_SECONDS = 5;

/** What the caller is told of a failure that has a place in the error table. @returns null when it has none */
export function knownFailure(thrown: unknown): ApiError | null {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof DatabaseUnavailable)
    return new ApiError('database_unavailable', 'The database is away for a moment; please try again.', {
      retryAfterSeconds: DATABASE_RETRY_AFTER_SECONDS,
      cause: thrown.cause,
    });
  return null;
}
