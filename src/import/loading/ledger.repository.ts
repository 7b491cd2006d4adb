import type { Queryable } from '../../database/database.js';
import { NEXT_EVENT_TIME } from '../../domains/feed/domain-event.repository.js';
import type { DatasetLoad, LoadCounts } from './dataset-load.js';

/**
 * Writes the events of an import and brings the dataset row up to date. It is the last change of the transaction, and it
 * holds the row's lock to the commit, so that no event becomes visible behind one with a higher number.
 *
 * @param importedAt PostgreSQL's text for the time of the import
 */
export async function writeLedger(
  transaction: Queryable,
  { announcements, drops }: Pick<DatasetLoad, 'announcements' | 'drops'>,
  { availableDelta }: LoadCounts,
  importedAt: string,
): Promise<void> {
  // A statement of its own: the time is taken, and the numbers are read, after the lock was waited for.
  await transaction.query(`UPDATE dataset SET last_event_at = ${NEXT_EVENT_TIME}`);
  await transaction.query(
    `INSERT INTO domain_event (number, type, domain, occurred_at)
     SELECT (SELECT last_event FROM dataset) + announced.number, announced.type, announced.domain, (SELECT last_event_at FROM dataset)
       FROM (${announcements}) AS announced`,
  );
  // What the registry said of a name before it dropped is old news: whoever asks next asks the registry. What it said since
  // the import began is newer than the list.
  await transaction.query(`DELETE FROM registry_answer WHERE domain IN (${drops}) AND checked_at < $1`, [
    importedAt,
  ]);
  await transaction.query(
    `UPDATE dataset
        SET available_records = available_records + $1,
            last_event = greatest(last_event, (SELECT max(number) FROM domain_event)),
            refreshed = clock_timestamp()`,
    [availableDelta],
  );
}
