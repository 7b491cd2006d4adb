import type { Queryable } from '../../database/database.js';

/** What the guard against a registry that is wrong about many names at once has seen. */
export interface GuardState {
  /** Answers of the current hour that contradict what was known. */
  readonly flips: number;
  /** When it stopped all writes of answers; null while they go on. */
  readonly writesStoppedAt: Date | null;
  readonly reason: string | null;
}

/**
 * Counts an answer that contradicts what was known, and stops all writes of answers when the hour has had too many.
 *
 * @returns why writes stop with this answer, or null
 */
export async function countFlip(
  transaction: Queryable,
  at: Date,
  maxPerHour: number,
): Promise<string | null> {
  const reason = `more than ${maxPerHour} answers within an hour contradicted what was known`;
  const [row] = await transaction.query<{ reason: string | null }>(
    `UPDATE lifecycle_guard
        SET hour = hours.now, flips = hours.flips,
            writes_stopped_at = CASE WHEN hours.flips > $2 THEN coalesce(writes_stopped_at, $1) ELSE writes_stopped_at END,
            reason = CASE WHEN hours.flips > $2 THEN coalesce(lifecycle_guard.reason, $3) ELSE lifecycle_guard.reason END
       FROM (SELECT singleton, date_trunc('hour', $1::timestamptz) AS now,
                    CASE WHEN hour = date_trunc('hour', $1::timestamptz) THEN flips + 1 ELSE 1 END AS flips
               FROM lifecycle_guard FOR UPDATE) AS hours
      WHERE lifecycle_guard.singleton = hours.singleton
     RETURNING lifecycle_guard.reason`,
    [at, maxPerHour, reason],
  );
  return row?.reason ?? null;
}

export async function readGuard(source: Queryable): Promise<GuardState> {
  const [row] = await source.query<{ flips: number; writes_stopped_at: Date | null; reason: string | null }>(
    'SELECT flips, writes_stopped_at, reason FROM lifecycle_guard',
  );
  if (!row) throw new Error('lifecycle_guard has lost its row');
  return { flips: row.flips, writesStoppedAt: row.writes_stopped_at, reason: row.reason };
}

/** Lets answers be written again, and counts the hour anew. */
export async function liftGuard(source: Queryable): Promise<void> {
  await source.query(
    `UPDATE lifecycle_guard SET hour = '-infinity', flips = 0, writes_stopped_at = NULL, reason = NULL`,
  );
}
