import type { Queryable } from '../../database/database.js';
import type { Listing } from '../reading/row-layout.js';
import {
  createRepeatedRows,
  IS_OVERRULED,
  type LoadCounts,
  NULL_TEXT,
  isOlderThan,
  removeRepeatedFrom,
  timeText,
} from './dataset-load.js';

/**
 * The rows of a file in the temporary table `staged_row`, and what they mean for the dataset in the table `change`: one row
 * for each name that is new or comes out different. What a listing means is decided here and nowhere else.
 */
export class StagedListings {
  readonly copyStatement =
    'COPY staged_row (domain, name, tld, wayback, first_seen, hidden, purged_at, line) FROM STDIN';

  constructor(private readonly transaction: Queryable) {}

  async create(): Promise<void> {
    await createRepeatedRows(this.transaction);
    await this.transaction.query(`
      CREATE TEMPORARY TABLE staged_row (
        domain text COLLATE "C" NOT NULL,
        name text COLLATE "C" NOT NULL,
        tld text COLLATE "C" NOT NULL,
        wayback integer,
        first_seen date,
        hidden boolean,
        purged_at timestamptz,
        line integer NOT NULL
      ) ON COMMIT DROP`);
    await this.transaction.query(`
      CREATE TEMPORARY TABLE change (
        domain text COLLATE "C" NOT NULL,
        wayback integer NOT NULL,
        first_seen date,
        hidden boolean NOT NULL,
        is_new boolean NOT NULL,
        is_drop boolean NOT NULL,
        event text,
        available_delta integer NOT NULL,
        checked_at timestamptz
      ) ON COMMIT DROP`);
  }

  encode({ domain, wayback, firstSeen, purgedAt, hidden }: Listing, line: number): string {
    return `${domain.domain}\t${domain.name}\t${domain.tld}\t${wayback ?? NULL_TEXT}\t${firstSeen ?? NULL_TEXT}\t${hidden ?? NULL_TEXT}\t${timeText(purgedAt)}\t${line}\n`;
  }

  async removeRepeated(): Promise<number> {
    const [row] = await this.transaction.query<{ count: number }>(removeRepeatedFrom('staged_row'));
    return row?.count ?? 0;
  }

  /** Fills the table `change`. */
  async findChanges(): Promise<LoadCounts> {
    // Temporary tables have no statistics of their own accord, and the joins depend on their sizes.
    await this.transaction.query('ANALYZE staged_row');
    await this.transaction.query(FIND_CHANGES);
    await this.transaction.query(FIND_NEW_NAMES);
    await this.transaction.query('ANALYZE change');
    const [counts] = await this.transaction.query<LoadCounts>(
      `SELECT count(*) FILTER (WHERE is_new)::int AS added,
              count(*) FILTER (WHERE NOT is_new)::int AS changed,
              (SELECT count(*) FROM staged_row)::int - count(*)::int AS unchanged,
              coalesce(sum(available_delta), 0)::int AS "availableDelta"
         FROM change`,
    );
    if (!counts) throw new Error('an aggregate gave no row');
    return counts;
  }
}

// A listing with a first_seen later than the stored one is a new verdict. A name that a registry has called taken comes back
// only by one that is also not older than that answer: an earlier list cannot know better. An unknown first_seen is
// filled in, which alone is no drop, unless the name was taken meanwhile. What a row does not say keeps its value.
//
// A name that is shown again is announced as what it is now: when it was taken while it was withheld, nobody was told.
//
// FOR UPDATE keeps the rows as they are read until the commit, against a registry answer that comes in between.
const FIND_CHANGES = `
  INSERT INTO change (domain, wayback, first_seen, hidden, is_new, is_drop, event, available_delta)
  SELECT domain.domain, outcome.wayback, outcome.first_seen, outcome.hidden, false, verdict.is_drop,
         CASE WHEN outcome.shown AND (verdict.is_drop OR domain.hidden) THEN 'domain.dropped'
              WHEN domain.hidden AND NOT outcome.hidden THEN 'domain.taken' END,
         outcome.shown::int - (domain.available AND NOT domain.hidden)::int
    FROM staged_row AS listing
    JOIN domain USING (domain)
   CROSS JOIN LATERAL (
         SELECT CASE
                  WHEN listing.first_seen IS NULL THEN false
                  WHEN domain.available THEN coalesce(listing.first_seen > domain.first_seen, false)
                  ELSE coalesce(listing.first_seen > domain.first_seen, true)
                   AND NOT coalesce(${isOlderThan('domain.checked_at')}, false)
                END AS is_drop
         ) AS verdict
   CROSS JOIN LATERAL (
         SELECT coalesce(listing.wayback, domain.wayback) AS wayback,
                CASE WHEN verdict.is_drop THEN listing.first_seen ELSE coalesce(domain.first_seen, listing.first_seen) END AS first_seen,
                coalesce(listing.hidden, domain.hidden) AS hidden,
                (domain.available OR verdict.is_drop) AND NOT coalesce(listing.hidden, domain.hidden) AS shown
         ) AS outcome
   WHERE verdict.is_drop
      OR (outcome.wayback, outcome.hidden) IS DISTINCT FROM (domain.wayback, domain.hidden)
      OR outcome.first_seen IS DISTINCT FROM domain.first_seen
     FOR UPDATE OF domain`;

// A name new to the dataset may have been asked about before: what the registry said of it holds as it does for any other.
// An answer of the sandbox counts like one of the registry, as it does when it is written back to a name that is there.
const FIND_NEW_NAMES = `
  INSERT INTO change (domain, wayback, first_seen, hidden, is_new, is_drop, event, available_delta, checked_at)
  SELECT listing.domain, coalesce(listing.wayback, 0), listing.first_seen, outcome.hidden, true, outcome.available,
         CASE WHEN outcome.shown THEN 'domain.dropped' END, outcome.shown::int, answer.checked_at
    FROM staged_row AS listing
    LEFT JOIN registry_answer AS answer ON answer.domain = listing.domain AND ${IS_OVERRULED}
   CROSS JOIN LATERAL (
         SELECT answer.domain IS NULL AS available,
                coalesce(listing.hidden, false) AS hidden,
                answer.domain IS NULL AND NOT coalesce(listing.hidden, false) AS shown
         ) AS outcome
   WHERE NOT EXISTS (SELECT FROM domain WHERE domain.domain = listing.domain)`;
