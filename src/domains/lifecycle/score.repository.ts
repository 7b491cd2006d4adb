import type { Queryable } from '../../database/database.js';
import type { CalendarDate } from '../calendar-date.js';
import type { ArchiveState } from '../domain.js';

/** What was learned of a name in the web archive. */
export interface ObservedScore {
  readonly status: Exclude<ArchiveState, 'pending'>;
  /** The score; null, as after an error, leaves it as it is. */
  readonly wayback: number | null;
  readonly firstCapture: CalendarDate | null;
  readonly lastCapture: CalendarDate | null;
  readonly captures: number | null;
}

/** An error says nothing of the archive: what was known before stays. */
export async function writeScore(
  transaction: Queryable,
  domain: string,
  score: ObservedScore,
): Promise<void> {
  if (score.status === 'error') {
    await transaction.query(
      `UPDATE domain SET archive_status = 'error' WHERE domain = $1 AND archive_status = 'pending'`,
      [domain],
    );
    return;
  }
  await transaction.query(
    `UPDATE domain
        SET wayback = coalesce($2, wayback), archive_status = $3, archive_first_capture = $4, archive_last_capture = $5,
            archive_captures = $6
      WHERE domain = $1`,
    [domain, score.wayback, score.status, score.firstCapture, score.lastCapture, score.captures],
  );
}
