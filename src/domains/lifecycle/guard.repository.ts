import type { Queryable } from '../../db/database.js';

/** What the guard against a registry that is wrong about many names at once has seen. */
export interface GuardState {
  /** Contradicting answers in this hour. */
  readonly flips: number;
  /** When the hour began that they were counted in; null before the first. */
  readonly hour: Date | null;
  /** When it stopped all writes of answers; null while they go on. */
  readonly writesStoppedAt: Date | null;
  readonly reason: string | null;
}

/**
 * Counts a contradicting answer, and stops all writes of answers when the hour has had too many.
 *
 * @returns why writes stop with this answer, or null
 */
export async function countFlip(
  transaction: Queryable,
  at: Date,
  maxPerHour: number,
): Promise<string | null> {
  const reason = `more than ${maxPerHour} answers within an hour contradicted what was known`;
  const [row] = await transaction.prepared<{ reason: string | null }>({
    name: 'count_flip',
    text: COUNT_FLIP,
    values: [at, maxPerHour, reason],
  });
  return row?.reason ?? null;
}

const COUNT_FLIP = `UPDATE lifecycle_guard
        SET hour = hours.now, flips = hours.flips,
            writes_stopped_at = CASE WHEN hours.flips > $2 THEN coalesce(writes_stopped_at, $1)
              ELSE writes_stopped_at END,
            reason = CASE WHEN hours.flips > $2 THEN coalesce(lifecycle_guard.reason, $3)
              ELSE lifecycle_guard.reason END
       FROM (SELECT singleton, date_trunc('hour', $1::timestamptz) AS now,
                    CASE WHEN hour = date_trunc('hour', $1::timestamptz) THEN flips + 1 ELSE 1 END AS flips
               FROM lifecycle_guard FOR UPDATE) AS hours
      WHERE lifecycle_guard.singleton = hours.singleton
     RETURNING lifecycle_guard.reason`;

export async function readGuard(source: Queryable): Promise<GuardState> {
  const [guard] = await source.query<{ [Key in keyof GuardState]: GuardState[Key] }>(
    `SELECT flips, nullif(hour, '-infinity') AS hour, writes_stopped_at AS "writesStoppedAt", reason
      FROM lifecycle_guard`,
  );
  if (!guard) throw new Error('lifecycle_guard has lost its row');
  return guard;
}

/** A stop of all writes that the operator lifted. */
export interface ResumedWrites {
  readonly stoppedAt: Date;
  readonly reason: string;
  /** Contradicting answers in the hour. */
  readonly flips: number;
  readonly resumedAt: Date;
  readonly resumedBy: string;
}

type ResumedRow = { [Key in keyof ResumedWrites]: ResumedWrites[Key] };

const RESUMED_COLUMNS =
  'stopped_at AS "stoppedAt", reason, flips, resumed_at AS "resumedAt", resumed_by AS "resumedBy"';

/** Resumes the writing of answers and resets the count. @returns the record of the stop; null when there was none */
export async function liftGuard(source: Queryable, by: string, at: Date): Promise<ResumedWrites | null> {
  const [resumed] = await source.query<ResumedRow>(
    `WITH guard AS MATERIALIZED (
       SELECT writes_stopped_at, reason, flips FROM lifecycle_guard FOR UPDATE
     ), lifted AS (
       UPDATE lifecycle_guard SET hour = '-infinity', flips = 0, writes_stopped_at = NULL, reason = NULL FROM guard
     )
     INSERT INTO resumed_writes (stopped_at, reason, flips, resumed_at, resumed_by)
     SELECT writes_stopped_at, reason, flips, $2, $1 FROM guard WHERE writes_stopped_at IS NOT NULL
     RETURNING ${RESUMED_COLUMNS}`,
    [by, at],
  );
  return resumed ?? null;
}

export function listResumedWrites(source: Queryable, limit: number): Promise<ResumedWrites[]> {
  return source.query<ResumedRow>(`SELECT ${RESUMED_COLUMNS} FROM resumed_writes ORDER BY id DESC LIMIT $1`, [
    limit,
  ]);
}
