import { clockMs, type Queryable } from '../../../db/database.js';
import { addingCells, cellsOf } from '../../search/cube/cube.repository.js';

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
 * so that no event becomes visible behind one with a higher number. Every writer waits for it, so the events and cells
 * of a batch are worked out first.
 *
 * @param events a SELECT with the columns of CHANGE_EVENTS, which gives as many rows as `counts` says
 * @param at the time of the events, as far as their order allows
 * @param names whose cells are counted, as {@link cellsOf} takes them
 * @returns when it had the lock, in ms by the server's clock
 */
export async function writeListingLedger(
  transaction: Queryable,
  events: string,
  counts: LedgerCounts,
  at: Date,
  names?: string,
): Promise<number> {
  // A first load has millions of events, which would go to disk first, and no writer waits for it.
  const [before, onceReady, cells] =
    names === undefined
      ? ['', '', '']
      : [
          `, counted AS (${cellsOf(names)}),
          ready AS (SELECT (SELECT count(*) FROM announced) + (SELECT count(*) FROM counted) AS rows)`,
          'FROM ready WHERE ready.rows >= 0',
          `, cells AS (${addingCells('SELECT counted.* FROM ledger CROSS JOIN counted')})`,
        ];
  const text = `
    WITH announced AS (${events})${before}, ledger AS (
      UPDATE dataset
         SET available_records = available_records + $1::integer, refreshed = greatest(refreshed, $3),
             last_event = last_event + $2::integer,
             last_event_at = CASE WHEN $2 = 0 THEN last_event_at ELSE greatest($3, last_event_at) END
        ${onceReady}
      RETURNING last_event - $2 AS before, last_event_at, ${clockMs('clock_timestamp()')} AS "lockedAtMs"
    ), events AS (
      INSERT INTO domain_event (number, type, domain, occurred_at)
      SELECT ledger.before + announced.number, announced.type, announced.domain, ledger.last_event_at
        FROM ledger CROSS JOIN announced
    )${cells}
    SELECT "lockedAtMs" FROM ledger`;
  const values = [counts.availableDelta, counts.events, at];
  const [ledger] = await transaction.kept<{ lockedAtMs: number }>(text, values);
  return ledger?.lockedAtMs ?? 0;
}
