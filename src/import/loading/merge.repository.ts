import type { Queryable } from '../../database/database.js';
import type { Listing } from '../reading/row-layout.js';
import {
  createRepeatedRows,
  type DatasetLoad,
  type LoadCounts,
  NULL_TEXT,
  removeRepeatedFrom,
} from './dataset-load.js';
import { TwinTable } from './twin-table.repository.js';

/** A change in place costs 0.3 ms, mostly the index of pieces; building everything anew, a tenth of that for each row there is. */
const REBUILD_SHARE = 0.1;
/** What changes less is quickly done in place, whatever its share. */
const REBUILD_MIN_CHANGES = 50_000;

/**
 * Brings listings into a dataset that has rows; rows that say nothing new are not touched. What a listing means is decided
 * by {@link FIND_CHANGES}. The changes are then made in place, where readers keep every index, or, when they are a good
 * part of the dataset, in a twin of the table that takes its place.
 */
export class Merge implements DatasetLoad {
  readonly copyStatement =
    'COPY staged_row (domain, name, tld, wayback, first_seen, hidden, line) FROM STDIN';
  readonly droppedNames = `SELECT domain, row_number() OVER (ORDER BY domain) AS number FROM change WHERE announced`;
  private readonly twin: TwinTable;
  private isRebuilt = false;

  /**
   * @param importedAt PostgreSQL's text for the time of this import
   * @param rebuildMinChanges how many changes it takes at least to build the table anew
   */
  constructor(
    private readonly transaction: Queryable,
    private readonly importedAt: string,
    private readonly rebuildMinChanges = REBUILD_MIN_CHANGES,
  ) {
    this.twin = new TwinTable(transaction);
  }

  async prepare(): Promise<void> {
    await createRepeatedRows(this.transaction);
    await this.transaction.query(`
      CREATE TEMPORARY TABLE staged_row (
        domain text COLLATE "C" NOT NULL,
        name text COLLATE "C" NOT NULL,
        tld text COLLATE "C" NOT NULL,
        wayback integer,
        first_seen date,
        hidden boolean,
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
        announced boolean NOT NULL,
        available_delta integer NOT NULL
      ) ON COMMIT DROP`);
  }

  encode({ domain, wayback, firstSeen, hidden }: Listing, line: number): string {
    return `${domain.domain}\t${domain.name}\t${domain.tld}\t${wayback ?? NULL_TEXT}\t${firstSeen ?? NULL_TEXT}\t${hidden ?? NULL_TEXT}\t${line}\n`;
  }

  async removeRepeated(): Promise<number> {
    const [row] = await this.transaction.query<{ count: number }>(removeRepeatedFrom('staged_row'));
    return row?.count ?? 0;
  }

  async decide(): Promise<LoadCounts> {
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

  async apply({ added, changed }: LoadCounts, onStep: (step: string) => void): Promise<void> {
    this.isRebuilt = await this.isWorthRebuilding(added + changed);
    if (this.isRebuilt) await this.rebuild(onStep);
    else await this.changeInPlace();
  }

  async publish(): Promise<void> {
    if (this.isRebuilt) await this.twin.takePlace();
  }

  private async isWorthRebuilding(changes: number): Promise<boolean> {
    if (changes < this.rebuildMinChanges) return false;
    const [dataset] = await this.transaction.query<{ rows: number }>(
      'SELECT count(*)::int AS rows FROM domain',
    );
    return changes > (dataset?.rows ?? 0) * REBUILD_SHARE && (await this.twin.isPossible());
  }

  private async changeInPlace(): Promise<void> {
    await this.transaction.query(CHANGE_ROWS, [this.importedAt]);
    await this.transaction.query(addRowsTo('domain'), [this.importedAt]);
    // Rows that wait in a GIN index's pending list are read one by one by every search until somebody files them.
    await this.transaction.query(`
      SELECT gin_clean_pending_list(pg_index.indexrelid)
        FROM pg_index
        JOIN pg_class ON pg_class.oid = pg_index.indexrelid
        JOIN pg_am ON pg_am.oid = pg_class.relam
       WHERE pg_index.indrelid = 'domain'::regclass AND pg_am.amname = 'gin'`);
    await this.transaction.query('ANALYZE (SKIP_LOCKED) domain');
  }

  // The rows that change are locked already; the lock on the table keeps the others as they are copied.
  private async rebuild(onStep: (step: string) => void): Promise<void> {
    onStep('building the dataset anew');
    await this.twin.lockOutWriters();
    await this.twin.create();
    await this.twin.copyRows(CHANGED_COLUMNS, 'LEFT JOIN change USING (domain)', [this.importedAt]);
    await this.transaction.query(addRowsTo(this.twin.name), [this.importedAt]);
    await this.twin.addKeys();
    await this.twin.addIndexes(onStep);
  }
}

// A listing with a first_seen later than the stored one is a new verdict. A name that a registry has called taken comes back
// only by one that is also not older than that answer: an earlier list cannot know better. An unknown first_seen is
// filled in, which alone is no drop, unless the name was taken meanwhile. What a row does not say keeps its value.
//
// FOR UPDATE keeps the rows as they are read until the commit, against a registry answer that comes in between.
const FIND_CHANGES = `
  INSERT INTO change (domain, wayback, first_seen, hidden, is_new, is_drop, announced, available_delta)
  SELECT domain.domain, outcome.wayback, outcome.first_seen, outcome.hidden, false, verdict.is_drop,
         outcome.shown AND (verdict.is_drop OR domain.hidden),
         outcome.shown::int - (domain.available AND NOT domain.hidden)::int
    FROM staged_row AS listing
    JOIN domain USING (domain)
   CROSS JOIN LATERAL (
         SELECT CASE
                  WHEN listing.first_seen IS NULL THEN false
                  WHEN domain.available THEN coalesce(listing.first_seen > domain.first_seen, false)
                  ELSE coalesce(listing.first_seen > domain.first_seen, true)
                   AND coalesce(listing.first_seen >= (domain.checked_at AT TIME ZONE 'UTC')::date, true)
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

const FIND_NEW_NAMES = `
  INSERT INTO change (domain, wayback, first_seen, hidden, is_new, is_drop, announced, available_delta)
  SELECT listing.domain, coalesce(listing.wayback, 0), listing.first_seen, coalesce(listing.hidden, false), true, true,
         NOT coalesce(listing.hidden, false), (NOT coalesce(listing.hidden, false))::int
    FROM staged_row AS listing
   WHERE NOT EXISTS (SELECT FROM domain WHERE domain.domain = listing.domain)`;

// What a changed row becomes; of a row that does not change, `change` has nothing but nulls. $1 is the time of the import.
const CHANGED_COLUMNS = {
  wayback: 'coalesce(change.wayback, domain.wayback)',
  first_seen: 'coalesce(change.first_seen, domain.first_seen)',
  hidden: 'coalesce(change.hidden, domain.hidden)',
  available: 'domain.available OR coalesce(change.is_drop, false)',
  dropped_at: 'CASE WHEN change.is_drop THEN $1::timestamptz ELSE domain.dropped_at END',
};

const CHANGE_ROWS = `
  UPDATE domain
     SET ${Object.entries(CHANGED_COLUMNS)
       .map(([column, value]) => `${column} = ${value}`)
       .join(', ')}
    FROM change
   WHERE domain.domain = change.domain AND NOT change.is_new`;

const addRowsTo = (table: string) => `
  INSERT INTO ${table} (domain, name, tld, wayback, first_seen, hidden, dropped_at)
  SELECT listing.domain, listing.name, listing.tld, change.wayback, change.first_seen, change.hidden, $1::timestamptz
    FROM change
    JOIN staged_row AS listing USING (domain)
   WHERE change.is_new`;
