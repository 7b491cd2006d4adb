import type { Queryable } from '../../db/database.js';
import type { CalendarDate } from '../schema/calendar-date.js';
import type { ArchiveState } from '../schema/domain.js';

export interface ObservedScore {
  readonly status: Exclude<ArchiveState, 'pending'>;
  /** The score; null, as after an error, leaves it as it is. */
  readonly wayback: number | null;
  readonly firstCapture: CalendarDate | null;
  readonly lastCapture: CalendarDate | null;
  readonly captures: number | null;
}

/**
 * An error says nothing about the archive: the earlier score stays.
 *
 * @returns the score before of a name that discovery shows; null of others, and after an error
 */
export async function writeScore(
  transaction: Queryable,
  domain: string,
  score: ObservedScore,
): Promise<number | null> {
  if (score.status === 'error') {
    await transaction.query(
      `UPDATE domain SET archive_status = 'error' WHERE domain = $1 AND archive_status = 'pending'`,
      [domain],
    );
    return null;
  }
  const [row] = await transaction.query<{ wayback: number; is_shown: boolean }>(
    `UPDATE domain
        SET wayback = coalesce($2, domain.wayback), archive_status = $3, archive_first_capture = $4,
            archive_last_capture = $5, archive_captures = $6
       FROM (SELECT wayback, available AND NOT hidden AS is_shown FROM domain WHERE domain = $1 FOR UPDATE) AS former
      WHERE domain.domain = $1
      RETURNING former.wayback, former.is_shown`,
    [domain, score.wayback, score.status, score.firstCapture, score.lastCapture, score.captures],
  );
  return row?.is_shown === true ? row.wayback : null;
}
