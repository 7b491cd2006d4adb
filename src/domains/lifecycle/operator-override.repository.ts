import type { Queryable } from '../../db/database.js';
import type { HeldName } from './answers.repository.js';
import type { DomainState } from '../schema/states.js';
import type { FeedType } from '../schema/events.js';

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
          recheck AS (DELETE FROM recheck WHERE domain = $1),
          failure AS (DELETE FROM question_failure WHERE domain = $1)
     DELETE FROM domain WHERE domain = $1`,
    [domain],
  );
}
