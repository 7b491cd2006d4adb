import type { Captures, UnreadableReason } from './cdx-answer.js';

/** Why a question was left without an answer. What the archive holds of the name is then unknown, and never nothing. */
export type ArchiveFailureReason =
  | UnreadableReason
  /** The archive withholds this site from everybody. */
  | 'excluded'
  /** A status that is no answer: a 5xx, a redirect. */
  | 'failing'
  | 'timeout'
  /** 429, or a 503 that says when to come back. */
  | 'rate_limited'
  /** 401 or 403: the archive does not talk to us. */
  | 'refused'
  /** The connection was refused or lost: the archive blocks addresses in this way that do not heed its 429. */
  | 'unreachable';

export interface ArchiveFailure {
  readonly answered: false;
  readonly reason: ArchiveFailureReason;
  /** For the log and the record: a status or a code, never what a body said. */
  readonly detail: string;
  /** What Retry-After said, if it said anything. */
  readonly retryAfterSeconds?: number | undefined;
}

export type ArchiveAnswer = ({ readonly answered: true } & Captures) | ArchiveFailure;

/**
 * A web archive that is asked about the home page of one name. Asks once and never throws: pace and rest are built
 * around it.
 */
export abstract class ArchiveClient {
  /** @param now what Retry-After and captures to come are measured by */
  abstract ask(domain: string, now: Date, signal: AbortSignal): Promise<ArchiveAnswer>;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * For so long the archive is left alone that refuses connections or says "too many" but not for how long: as long as
 * it blocks.
 */
const REST_MS = HOUR_MS;
/** A Retry-After of a second is a server that is in trouble. */
const MIN_REST_MS = MINUTE_MS;
/** So many questions in a row without an answer are the archive's trouble, and not the names'. */
export const MAX_FAILURES_IN_ROW = 5;
const TROUBLED_REST_MS = 10 * MINUTE_MS;

const FIRST_RETRY_MS = HOUR_MS;
const RETRY_FACTOR = 4;
const MAX_RETRY_MS = 30 * DAY_MS;

/**
 * How long the archive is left alone after a failure; 0 when it may be asked on.
 *
 * @param failuresInRow consecutive questions without an answer, this one included, over all names
 */
export function restAfter(
  { reason, retryAfterSeconds }: Pick<ArchiveFailure, 'reason' | 'retryAfterSeconds'>,
  failuresInRow: number,
): number {
  switch (reason) {
    case 'rate_limited':
      return retryAfterSeconds === undefined ? REST_MS : Math.max(MIN_REST_MS, retryAfterSeconds * 1000);
    case 'refused':
    case 'unreachable':
      return REST_MS;
    // It answered: only this site is withheld.
    case 'excluded':
      return 0;
    case 'failing':
    case 'timeout':
    case 'empty':
    case 'cut_off':
    case 'not_understood':
    case 'too_large':
      return failuresInRow >= MAX_FAILURES_IN_ROW ? TROUBLED_REST_MS : 0;
    default:
      return reason satisfies never;
  }
}

/**
 * How long until a name is asked about again: 1 h, 4 h, 16 h, to 30 days.
 *
 * @param failures in a row, this one counted
 */
export function retryAfter(reason: ArchiveFailure['reason'], failures: number): number {
  if (reason === 'excluded') return MAX_RETRY_MS;
  return Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * RETRY_FACTOR ** Math.min(failures - 1, 10));
}
