import type { Queryable } from '../../../db/database.js';
import { monthOfCellIn, scoreOfCellIn } from '../../search/cube/cube.repository.js';

/** The columns of `domain` that a row of `change` sets. */
const COLUMNS = [
  'wayback',
  'first_seen',
  'hidden',
  'state',
  'available',
  'confirmed_by',
  'checked_at',
  'dropped_at',
  'registry_state',
  'free_seen_at',
  'ask_at',
  'archive_status',
  'list_kind',
  'list_source',
  'listed_at',
  'purge_at',
  'purge_approximate',
  'news_until',
  'announced',
] as const;

export async function changeRows(transaction: Queryable): Promise<void> {
  await transaction.prepared({ name: 'change_listed', text: CHANGE_ROWS, values: [] });
}

export async function addRows(transaction: Queryable): Promise<void> {
  await transaction.prepared({ name: 'add_listed', text: ADD_ROWS, values: [] });
}

// Planned once for all batches of a file, as every statement of a batch whose planning takes longer than it runs.
const CHANGE_ROWS = `
  UPDATE domain SET ${COLUMNS.map((column) => `${column} = change.${column}`).join(', ')}
    FROM change
   WHERE domain.domain = change.domain AND NOT change.is_new`;

const ADD_ROWS = `
  INSERT INTO domain (domain, name, tld, words, ${COLUMNS.join(', ')})
  SELECT listing.domain, listing.name, listing.tld, listing.words,
         ${COLUMNS.map((column) => `change.${column}`).join(', ')}
    FROM change
    JOIN staged_row AS listing USING (domain)
   WHERE change.is_new
   ORDER BY listing.domain`;

/** The moves of the names in `change` between cells of the cube: shown now, less shown before. */
export const COUNTED_CHANGES = `
  SELECT listing.tld, length(listing.name) AS length, listing.name LIKE '%-%' AS hyphens,
    listing.name ~ '[0-9]' AS numbers,
         counted.wayback, counted.first_seen, counted.by
    FROM change
    JOIN staged_row AS listing USING (domain)
   CROSS JOIN LATERAL (
         VALUES (change.wayback, change.first_seen, (change.available AND NOT change.hidden)::integer),
                (change.former_wayback, change.former_first_seen, -change.was_shown::integer)
         ) AS counted (wayback, first_seen, by)
   WHERE counted.by <> 0
     AND (change.available_delta, ${cellIn('change.wayback', 'change.first_seen')})
         IS DISTINCT FROM (0, ${cellIn('change.former_wayback', 'change.former_first_seen')})`;

/** The parts of a name's cell that a list can change. */
function cellIn(score: string, day: string): string {
  return `${scoreOfCellIn(score)}, ${monthOfCellIn(day)}`;
}

/**
 * Keeps the schedule of re-checks and the kept answers in step with the changes.
 *
 * @param now when names that are asked about again are due
 */
export async function followChanges(transaction: Queryable, now: Date): Promise<void> {
  await transaction.prepared({ name: 'follow_listed', text: FOLLOW, values: [now] });
}

// One statement: each further one would keep the names of the batch locked for longer. Answers from before the drop are
// outdated: the next caller asks the registry.
const FOLLOW = `
  WITH ended AS (
    DELETE FROM recheck USING change
     WHERE recheck.domain = change.domain AND change.state NOT IN ('available', 'stale')
  ), moved AS (
    UPDATE recheck
       SET ask_at = CASE WHEN change.asks_again THEN $1 ELSE recheck.ask_at END,
         checked_at = change.checked_at, offered = change.available
      FROM change
     WHERE recheck.domain = change.domain AND change.state IN ('available', 'stale')
       AND (change.asks_again OR change.move = 'vouch')
  )
  DELETE FROM registry_answer AS answer USING change
   WHERE answer.domain = change.domain
     AND answer.checked_at < CASE change.move WHEN 'purge' THEN change.purge_at
       WHEN 'vouch' THEN change.checked_at END`;
