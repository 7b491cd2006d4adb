import type { Queryable } from '../../db/database.js';
import type { CalendarDate } from '../schema/calendar-date.js';
import type { ArchiveState } from '../schema/domain.js';
import type { HeldName } from './answers.repository.js';
import type { DomainState } from '../schema/states.js';
import type { FeedType } from '../schema/events.js';

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

/**
 * The event when a name is shown again: its present state, as an import publishes it. While it is withheld the feed
 * leaves out all that happens to it.
 */
export function eventOfShowing(state: DomainState): FeedType {
  if (state === 'available') return 'domain.dropped';
  return state === 'listed' ? 'domain.listed' : 'domain.restored';
}

/** By how much the names on offer change when one is hidden, or shown. */
export function offerDelta({ state }: HeldName, hidden: boolean): number {
  if (state !== 'available') return 0;
  return hidden ? -1 : 1;
}

/** Withholds a name that is held, or shows it. */
export async function writeHidden(
  transaction: Queryable,
  domain: string,
  hidden: boolean,
  event: FeedType,
): Promise<void> {
  await transaction.query(`UPDATE domain SET hidden = $2, announced = announced OR $3 WHERE domain = $1`, [
    domain,
    hidden,
    event === 'domain.dropped',
  ]);
}

/** Deletes a locked name and its records. Last in its transaction, after the counters. */
export async function deleteName(transaction: Queryable, domain: string): Promise<void> {
  await transaction.query(
    `WITH archive AS (DELETE FROM domain_archive WHERE domain = $1),
          -- What was taken out on request stays out.
          site AS (DELETE FROM former_site WHERE domain = $1 AND state <> 'removed'),
          recheck AS (DELETE FROM recheck WHERE domain = $1),
          failure AS (DELETE FROM question_failure WHERE domain = $1)
     DELETE FROM domain WHERE domain = $1`,
    [domain],
  );
}
