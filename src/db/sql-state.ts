/** The session's time limit ended the statement. */
export const QUERY_CANCELED = '57014';
/** A lock was not to be had in time. */
export const LOCK_NOT_AVAILABLE = '55P03';

/** Whether the error is PostgreSQL's, of this class (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
export function isSqlState(error: unknown, sqlState: string): boolean {
  return error instanceof Error && 'code' in error && error.code === sqlState;
}
