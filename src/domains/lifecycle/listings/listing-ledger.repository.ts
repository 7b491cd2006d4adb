import type { Queryable } from '../../../db/database.js';

/** The events of the rows in `change`: names, types, and numbers that count from 1. */
export const CHANGE_EVENTS = `
  SELECT domain, type, row_number() OVER (ORDER BY domain, place) AS number
    FROM (SELECT domain, 'domain.taken' AS type, 1 AS place FROM change WHERE is_taken
           UNION ALL
          SELECT domain, event, 2 FROM change WHERE event IS NOT NULL) AS said`;

/**
 * Writes the events of an import and brings the dataset row up to date. It is the last change of the transaction,
 * and it holds the row's lock to the commit, so that no event becomes visible behind one with a higher number.
 *
 * @param events a SELECT with the columns of CHANGE_EVENTS
 * @param at the time of the events, as far as their order allows
 */
export async function writeListingLedger(
  transaction: Queryable,
  events: string,
  availableDelta: number,
  at: Date,
): Promise<void> {
  // A statement of its own: the numbers are read after the lock was waited for.
  await transaction.query('UPDATE dataset SET last_event_at = greatest($1, last_event_at)', [at]);
  await transaction.query(
    `INSERT INTO domain_event (number, type, domain, occurred_at)
     SELECT (SELECT last_event FROM dataset) + announced.number, announced.type, announced.domain,
       (SELECT last_event_at FROM dataset)
       FROM (${events}) AS announced`,
  );
  await transaction.query(
    `UPDATE dataset
        SET available_records = available_records + $1,
            last_event = greatest(last_event, (SELECT max(number) FROM domain_event)),
            refreshed = greatest(refreshed, $2)`,
    [availableDelta, at],
  );
}
