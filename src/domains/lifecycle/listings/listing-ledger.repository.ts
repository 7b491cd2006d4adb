import { nameOf, type Queryable } from '../../../db/database.js';

/** The events of the rows in `change`: names, types, and numbers that count from 1. */
export const CHANGE_EVENTS = `
  SELECT domain, type, row_number() OVER (ORDER BY domain, place) AS number
    FROM (SELECT domain, 'domain.taken' AS type, 1 AS place FROM change WHERE is_taken
           UNION ALL
          SELECT domain, event, 2 FROM change WHERE event IS NOT NULL) AS said`;

/** What a batch of changes adds to the dataset's counters. */
export interface LedgerCounts {
  readonly events: number;
  readonly availableDelta: number;
}

/**
 * Writes events and brings the dataset row up to date. From here to the commit the transaction holds the row's lock,
 * so that no event becomes visible behind one with a higher number.
 *
 * @param events a SELECT with the columns of CHANGE_EVENTS, which gives as many rows as `counts` says
 * @param at the time of the events, as far as their order allows
 * @param last what else is done under the lock, as the last part of the statement: `ledger` holds it
 */
export async function writeListingLedger(
  transaction: Queryable,
  events: string,
  counts: LedgerCounts,
  at: Date,
  last = '',
): Promise<void> {
  const writing = `
    INSERT INTO domain_event (number, type, domain, occurred_at)
    SELECT ledger.before + announced.number, announced.type, announced.domain, ledger.last_event_at
      FROM ledger CROSS JOIN (${events}) AS announced`;
  const text = `
    WITH ledger AS (
      UPDATE dataset
         SET available_records = available_records + $1::integer, refreshed = greatest(refreshed, $3),
             last_event = last_event + $2::integer,
             last_event_at = CASE WHEN $2 = 0 THEN last_event_at ELSE greatest($3, last_event_at) END
      RETURNING last_event - $2 AS before, last_event_at
    )${last === '' ? writing : `, events AS (${writing}) ${last}`}`;
  const values = [counts.availableDelta, counts.events, at];
  await transaction.prepared({ name: nameOf(text), text, values });
}
