import type { Captures, UnreadableReason } from '../score/captures.js';

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

/** A web archive that is asked about the home page of one name. Asks once and never throws: pace and rest are built around it. */
export abstract class ArchiveClient {
  /** @param now what Retry-After and captures to come are measured by */
  abstract ask(domain: string, now: Date, signal: AbortSignal): Promise<ArchiveAnswer>;
}
