import { Injectable } from '@nestjs/common';
import { Database } from '../../db/database.js';

/** Why a name is asked about, the most urgent reason first. */
export const QUESTION_REASONS = ['confirmation', 'retry', 'recheck', 'unconfirmed'] as const;
export type QuestionReason = (typeof QUESTION_REASONS)[number];

export interface Question {
  readonly domain: string;
  readonly reason: QuestionReason;
}

export interface QueueSize {
  /** Names that could be asked about now; null when they are more than MAX_COUNTED. */
  readonly waiting: number | null;
  /** Since when the first of them has waited; null when none waits, or unknown. */
  readonly oldest: Date | null;
}

/** More are not counted: it would take longer than a page of figures may. */
export const MAX_COUNTED = 100_000;

/**
 * Which name is asked about next. Names leave the queue when an answer is observed, or its absence
 * (Lifecycle.postpone).
 */
@Injectable()
export class QuestionQueue {
  private isRecheckTurn = true;

  constructor(private readonly database: Database) {}

  /**
   * Names to be confirmed come first, best score first; then names to be asked again by now; then, in turns, names
   * on offer that are due and names without a vouching source; stale ones last, as they are not offered. Null when
   * no question is due, and while the guard has stopped the writing of answers: no answer would change the next
   * question.
   */
  async next(now: Date): Promise<Question | null> {
    const [row] = await this.database.query<Question>(NEXT, [now, this.isRecheckTurn]);
    if (!row) return null;
    if (row.reason === 'recheck' || row.reason === 'unconfirmed')
      this.isRecheckTurn = row.reason !== 'recheck';
    return { domain: row.domain, reason: row.reason };
  }

  /** Whether a question is due. */
  async isWaiting(now: Date): Promise<boolean> {
    return (await this.database.query(NEXT, [now, this.isRecheckTurn])).length > 0;
  }

  async sizes(now: Date): Promise<Record<QuestionReason, QueueSize>> {
    const rows = await this.database.query<{ reason: QuestionReason; waiting: number; oldest: Date | null }>(
      SIZES,
      [now, MAX_COUNTED + 1],
    );
    const sizeOf = (reason: QuestionReason): QueueSize => {
      const row = rows.find((one) => one.reason === reason);
      const waiting = row?.waiting ?? 0;
      return { waiting: waiting > MAX_COUNTED ? null : waiting, oldest: row?.oldest ?? null };
    };
    return {
      confirmation: sizeOf('confirmation'),
      retry: sizeOf('retry'),
      recheck: sizeOf('recheck'),
      unconfirmed: sizeOf('unconfirmed'),
    };
  }
}

// Each branch reads the first entry of one index; a branch is not begun when one before it gave a row. LIMIT over
// UNION ALL stops there: PostgreSQL appends in the order written.
const NEXT = `
  SELECT domain, reason
    FROM (
      (SELECT domain, 'confirmation' AS reason FROM domain
        WHERE state = 'purged' AND ask_at IS NULL ORDER BY wayback DESC, domain LIMIT 1)
       UNION ALL
      (SELECT domain, 'retry' FROM domain
        WHERE ask_at IS NOT NULL AND NOT available AND ask_at <= $1 ORDER BY ask_at LIMIT 1)
       UNION ALL
      (SELECT domain, 'recheck' FROM recheck WHERE $2 AND offered AND ask_at <= $1 ORDER BY ask_at LIMIT 1)
       UNION ALL
      (SELECT domain, 'unconfirmed' FROM domain
        WHERE state = 'unconfirmed' AND ask_at IS NULL ORDER BY wayback DESC, domain LIMIT 1)
       UNION ALL
      (SELECT domain, 'recheck' FROM recheck WHERE NOT $2 AND offered AND ask_at <= $1 ORDER BY ask_at LIMIT 1)
       UNION ALL
      (SELECT domain, 'recheck' FROM recheck WHERE NOT offered AND ask_at <= $1 ORDER BY ask_at LIMIT 1)
    ) AS question
   WHERE NOT EXISTS (SELECT FROM lifecycle_guard WHERE writes_stopped_at IS NOT NULL)
   LIMIT 1`;

const SIZES = `
  SELECT 'confirmation' AS reason, count(*)::int AS waiting, min(purge_at) AS oldest
    FROM (SELECT purge_at FROM domain WHERE state = 'purged' AND ask_at IS NULL LIMIT $2) AS names
   UNION ALL
  SELECT 'retry', count(*)::int, min(ask_at)
    FROM (SELECT ask_at FROM domain WHERE ask_at IS NOT NULL AND NOT available AND ask_at <= $1 ORDER BY ask_at
      LIMIT $2) AS names
   UNION ALL
  SELECT 'recheck', count(*)::int, min(ask_at)
    FROM (SELECT ask_at FROM recheck WHERE offered AND ask_at <= $1 ORDER BY ask_at LIMIT $2) AS names
   UNION ALL
  SELECT 'unconfirmed', count(*)::int, min(listed_at)
    FROM (SELECT listed_at FROM domain WHERE state = 'unconfirmed' AND ask_at IS NULL LIMIT $2) AS names`;
