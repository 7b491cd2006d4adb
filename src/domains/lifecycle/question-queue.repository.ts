import { Injectable } from '@nestjs/common';
import { Database } from '../../db/database.js';

/** Why a name is asked about, the most urgent reason first. */
export const QUESTION_REASONS = ['confirmation', 'retry', 'recheck', 'unconfirmed'] as const;
export type QuestionReason = (typeof QUESTION_REASONS)[number];

export interface Question {
  readonly domain: string;
  readonly reason: QuestionReason;
}

/** A drop counts as the day's for so long after its purge; then it is backlog. */
const FRESH_HOURS = 48;
/** While fresh names wait, so many turns at most lie between two retries that are due. */
const RETRY_EVERY = 10;

/** The queues; each question is the turn of one. */
type Turn = 'fresh' | 'retry' | 'recheck' | 'backlog' | 'stale';

/**
 * Which name is asked about next. Names leave the queue when an answer is observed, or its absence
 * (Lifecycle.postpone).
 */
@Injectable()
export class QuestionQueue {
  private isRecheckTurn = true;
  private sinceRetry = 0;

  constructor(private readonly database: Database) {}

  /**
   * Names purged within FRESH_HOURS come first, the newest day first, then the best score; every RETRY_EVERY turns a
   * name to be asked again goes before them. Without fresh names: retries; then, in turns, names on offer that are due
   * and the backlog, which is older purges and names without a vouching source; stale ones last, as they are not
   * offered. Null when no question is due, and while the guard has stopped the writing of answers: no answer would
   * change the next question.
   */
  async next(now: Date): Promise<Question | null> {
    const row = await this.find(now);
    if (!row) return null;
    this.sinceRetry = row.turn === 'retry' ? 1 : this.sinceRetry + 1;
    if (row.turn === 'recheck' || row.turn === 'backlog') this.isRecheckTurn = row.turn !== 'recheck';
    return { domain: row.domain, reason: row.reason };
  }

  /** Whether a question is due. */
  async isWaiting(now: Date): Promise<boolean> {
    return (await this.find(now)) !== null;
  }

  private async find(now: Date): Promise<(Question & { readonly turn: Turn }) | null> {
    const [row] = await this.database.query<Question & { readonly turn: Turn }>(NEXT, [
      now,
      this.isRecheckTurn,
      this.sinceRetry >= RETRY_EVERY,
      FRESH_HOURS,
    ]);
    return row ?? null;
  }
}

const RETRY = `SELECT domain, 'retry' AS reason, 'retry' AS turn FROM domain
        WHERE ask_at IS NOT NULL AND NOT available AND ask_at <= $1`;
const RECHECK = `SELECT domain, 'recheck', 'recheck' FROM recheck WHERE offered AND ask_at <= $1`;

// Each branch reads the first entry of one index; a branch is not begun when one before it gave a row. LIMIT over
// UNION ALL stops there: PostgreSQL appends in the order written. The newest purge day decides whether any name is
// fresh, so the backlog's branch, reached without one, needs no look at the purge.
const NEXT = `
  SELECT domain, reason, turn
    FROM (
      (${RETRY} AND $3 ORDER BY ask_at LIMIT 1)
       UNION ALL
      (SELECT domain, 'confirmation', 'fresh'
         FROM (SELECT domain, purge_at FROM domain WHERE state = 'purged' AND ask_at IS NULL
                ORDER BY (purge_at AT TIME ZONE 'UTC')::date DESC, wayback DESC, domain LIMIT 1) AS newest
        WHERE purge_at > $1::timestamptz - make_interval(hours => $4))
       UNION ALL
      (${RETRY} AND NOT $3 ORDER BY ask_at LIMIT 1)
       UNION ALL
      (${RECHECK} AND $2 ORDER BY ask_at LIMIT 1)
       UNION ALL
      (SELECT domain, 'confirmation', 'backlog' FROM domain
        WHERE state = 'purged' AND ask_at IS NULL ORDER BY wayback DESC, domain LIMIT 1)
       UNION ALL
      (SELECT domain, 'unconfirmed', 'backlog' FROM domain
        WHERE state = 'unconfirmed' AND ask_at IS NULL ORDER BY wayback DESC, domain LIMIT 1)
       UNION ALL
      (${RECHECK} AND NOT $2 ORDER BY ask_at LIMIT 1)
       UNION ALL
      (SELECT domain, 'recheck', 'stale' FROM recheck WHERE NOT offered AND ask_at <= $1 ORDER BY ask_at LIMIT 1)
    ) AS question
   WHERE NOT EXISTS (SELECT FROM lifecycle_guard WHERE writes_stopped_at IS NOT NULL)
   LIMIT 1`;
