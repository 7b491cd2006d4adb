import { DatabaseError } from 'pg';
import { failuresIn, isObject } from '../validation/unknown-values.js';
import { ApiError } from './api-error.js';

/** The session's time limit ended the statement. */
export const QUERY_CANCELED = '57014';
/** A read of search has reached its bound. Codes that begin with ZB are raised by `end_statement`. */
export const BOUND_REACHED = 'ZB001';
/** Another writer has changed a row since it was read. */
export const ROW_CHANGED = 'ZB002';
/** The lease of the work that wrote has gone to another process. */
export const LEASE_LOST = 'ZB003';
/** A lock was not to be had in time. */
export const LOCK_NOT_AVAILABLE = '55P03';
/** Of transactions that waited for each other this one was ended. */
export const DEADLOCK_DETECTED = '40P01';
export const UNIQUE_VIOLATION = '23505';

const DATABASE_RETRY_AFTER_SECONDS = 5;

/** The answer to a failure that has a place in the error table. @returns null when it has none */
export function knownFailure(thrown: unknown): ApiError | null {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof RequestEnded) return notInTime();
  const cause = thrown instanceof DatabaseUnavailable ? thrown.cause : thrown;
  const isStalled = STALLED.some((sqlState) => isSqlState(cause, sqlState));
  const words = isStalled ? IS_STALLED : thrown instanceof DatabaseUnavailable ? wordsFor(thrown) : null;
  if (words === null) return null;
  return new ApiError('database_unavailable', words, {
    retryAfterSeconds: DATABASE_RETRY_AFTER_SECONDS,
    cause,
  });
}

function wordsFor({ kind, cause, message }: DatabaseUnavailable): string {
  if (kind === 'away') return message;
  return hasSign(cause, FULL) ? IS_FULL : IS_REFUSING;
}

/**
 * Whether the disk was full at the last write that was tried. Where its log has no room PostgreSQL ends, often without a
 * word to its clients.
 */
let wasDiskFull = false;

/** @param failure of the database, or of its start; null after a write or a start */
export function noteDisk(failure: unknown): void {
  wasDiskFull = failure !== null && (wasDiskFull || hasSign(failure, FULL));
}

function absenceOf(cause: unknown): string {
  if (wasDiskFull && isGone(cause)) return IS_ENDED_BY_FULL_DISK;
  return hasSign(cause, NOT_READY) ? IS_NOT_READY : IS_AWAY;
}

/** Why the reads of a request were cancelled: its caller hung up, or its deadline has passed. */
export class RequestEnded extends Error {
  constructor(readonly isGone: boolean) {
    super(isGone ? 'The caller hung up.' : 'The deadline of the request has passed.');
  }
}

/**
 * Where an answer that is cut by the time cap would be taken for a whole one: nothing is answered, and nothing is
 * charged.
 */
export function notInTime(): ApiError {
  return new ApiError('database_unavailable', IS_STALLED, {
    retryAfterSeconds: DATABASE_RETRY_AFTER_SECONDS,
  });
}

const STALLED = [LOCK_NOT_AVAILABLE, QUERY_CANCELED];
const IS_STALLED =
  'The database did not get to this in time: it is busy, or what this needs is locked by other work. Nothing ' +
  'is known; please try again.';
const IS_FULL = 'The disk of the database is full: nothing can be written, and nothing was. Reads go on.';
const IS_ENDED_BY_FULL_DISK =
  'The disk of the database is full, and it has ended: nothing can be read or written until there is room.';
const IS_REFUSING = 'The database takes no writes for a moment: nothing was written. Please try again.';
const IS_NOT_READY = 'The database is starting, recovering or stopping. Please try again.';
const IS_AWAY = 'The database is away, or does not answer.';

/**
 * - `away`: the server is gone or does not answer in time; whether a commit succeeded is unknown
 * - `refusing`: the server answers but takes no writes; the transaction was rolled back
 */
export type Unavailability = 'away' | 'refusing';

/** What every statement throws while PostgreSQL cannot serve. `cause` is what the driver or the server said. */
export class DatabaseUnavailable extends Error {
  constructor(
    readonly kind: Unavailability,
    cause: unknown,
  ) {
    super(kind === 'away' ? absenceOf(cause) : `The database takes no writes: ${wordsOf(cause)}`, { cause });
  }
}

function wordsOf(error: unknown): string {
  if (!(error instanceof DatabaseError)) return String(error);
  return error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
}

interface Signs {
  readonly codes: RegExp;
  /** node-postgres reports some without a code. */
  readonly messages: readonly string[];
}

// Class 08: connection exceptions; 57P01 to 57P03: shut down, crashed, starting.
const GONE: Signs = {
  codes: /^(08...|57P0[123]|ECONN\w+|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/,
  messages: ['Connection terminated', 'Client has encountered a connection error and is not queryable'],
};
const NOT_READY: Signs = { codes: /^57P03$/, messages: [] };
const FULL: Signs = { codes: /^53100$/, messages: ['No space left on device'] };
// 53300: too many connections; 57014: the statement was ended by the session's time limit (reads with a cap of
// their own handle that before it comes here).
const STUCK: Signs = {
  codes: /^(57014|53300)$/,
  messages: ['timeout exceeded when trying to connect', 'timeout expired', 'Query read timeout'],
};

/**
 * Whether the error says that the server is away or does not answer in time, as opposed to a statement that is
 * wrong.
 */
export function isAbsence(error: unknown): boolean {
  return isGone(error) || hasSign(error, STUCK);
}

/** Whether the server refused the statement, so that it changed nothing; a lost connection leaves that open. */
export function isRolledBack(thrown: unknown): boolean {
  return isSaidByServer(thrown) && !isGone(thrown);
}

/** Whether the failure is an answer of the server, also its last one. */
export function isSaidByServer(thrown: unknown): boolean {
  return failuresIn(thrown).some((error) => error instanceof DatabaseError);
}

/** Whether the connection was refused or lost: other processes have lost the server too. */
function isGone(thrown: unknown): boolean {
  // At a panic the server ends, and a commit may be on disk.
  return (
    hasSign(thrown, GONE) || failuresIn(thrown).some((error) => isObject(error) && error.severity === 'PANIC')
  );
}

function hasSign(thrown: unknown, signs: Signs): boolean {
  return failuresIn(thrown).some((error) => isSign(error, signs));
}

function isSign(error: unknown, signs: Signs): boolean {
  if (!isObject(error)) return false;
  if ('code' in error && typeof error.code === 'string' && signs.codes.test(error.code)) return true;
  const message = 'message' in error ? String(error.message) : '';
  return signs.messages.some((text) => message.includes(text));
}

// The server answers and takes no writes. That is no absence: a start does not wait for it, and counters do not
// move to memory. 25006: read-only, as a former primary after a failover; 53100: its disk is full; 53200: it is
// out of memory.
const REFUSING: Signs = { codes: /^(25006|53[12]00)$/, messages: [] };

/** What the error says of the server; null where it says nothing, or has said it already. */
export function unavailabilityIn(error: unknown): Unavailability | null {
  // Work that was guarded inside guarded work has it said already.
  if (error instanceof DatabaseUnavailable) return null;
  if (isAbsence(error)) return 'away';
  return hasSign(error, REFUSING) ? 'refusing' : null;
}

/**
 * Whether the error is PostgreSQL's, of this class
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
export function isSqlState(error: unknown, sqlState: string): boolean {
  return error instanceof Error && 'code' in error && error.code === sqlState;
}
