import type { Queryable } from '../../database/database.js';
import type { Listing } from '../reading/row-layout.js';
import type { DatasetLoad, LoadCounts } from './dataset-load.js';
import { StagedListings } from './staged-listings.repository.js';
import { ShadowTable } from './shadow-table.repository.js';

/** A change in place costs 0.3 ms, mostly the index of grams; building everything anew, a tenth of that for each row there is. */
const REBUILD_SHARE = 0.1;
/** What changes less is quickly done in place, whatever its share. */
const REBUILD_MIN_CHANGES = 50_000;

/**
 * Brings listings into a dataset that has rows; rows that say nothing new are not touched. The changes are made in place,
 * where readers keep every index, or, when they are a good part of the dataset, in a shadow table that takes its place.
 */
export class Merge implements DatasetLoad {
  readonly copyStatement: string;
  readonly announcements = `SELECT domain, event AS type, row_number() OVER (ORDER BY domain) AS number
                              FROM change WHERE event IS NOT NULL`;
  readonly drops = 'SELECT domain FROM change WHERE is_drop';
  private readonly staged: StagedListings;
  private readonly shadow: ShadowTable;
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
    this.staged = new StagedListings(transaction);
    this.copyStatement = this.staged.copyStatement;
    this.shadow = new ShadowTable(transaction);
  }

  prepare(): Promise<void> {
    return this.staged.create();
  }

  encode(listing: Listing, line: number): string {
    return this.staged.encode(listing, line);
  }

  removeRepeated(): Promise<number> {
    return this.staged.removeRepeated();
  }

  decide(): Promise<LoadCounts> {
    return this.staged.findChanges();
  }

  async apply({ added, changed }: LoadCounts, onStep: (step: string) => void): Promise<void> {
    this.isRebuilt = await this.isWorthRebuilding(added + changed);
    if (this.isRebuilt) await this.rebuild(onStep);
    else await this.changeInPlace();
  }

  async publish(): Promise<void> {
    if (this.isRebuilt) await this.shadow.takePlace();
  }

  private async isWorthRebuilding(changes: number): Promise<boolean> {
    if (changes < this.rebuildMinChanges) return false;
    const [dataset] = await this.transaction.query<{ rows: number }>(
      'SELECT count(*)::int AS rows FROM domain',
    );
    return changes > (dataset?.rows ?? 0) * REBUILD_SHARE && (await this.shadow.isPossible());
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
    await this.shadow.lockOutWriters();
    await this.shadow.create();
    await this.shadow.copyRows(CHANGED_COLUMNS, 'LEFT JOIN change USING (domain)', [this.importedAt]);
    await this.transaction.query(addRowsTo(this.shadow.name), [this.importedAt]);
    await this.shadow.addKeys();
    await this.shadow.addIndexes(onStep);
  }
}

// What a changed row becomes; of a row that does not change, `change` has nothing but nulls. $1 is the time of the import.
const CHANGED_COLUMNS = {
  wayback: 'coalesce(change.wayback, domain.wayback)',
  first_seen: 'coalesce(change.first_seen, domain.first_seen)',
  hidden: 'coalesce(change.hidden, domain.hidden)',
  available: 'domain.available OR coalesce(change.is_drop, false)',
  state: `CASE WHEN change.is_drop THEN 'available' ELSE domain.state END`,
  confirmed_by: `CASE WHEN change.is_drop THEN 'vouched:import' ELSE domain.confirmed_by END`,
  checked_at: 'CASE WHEN change.is_drop THEN $1::timestamptz ELSE domain.checked_at END',
  announced: `CASE change.event WHEN 'domain.dropped' THEN true WHEN 'domain.taken' THEN false ELSE domain.announced END`,
  dropped_at: 'CASE WHEN change.is_drop THEN $1::timestamptz ELSE domain.dropped_at END',
};

const CHANGE_ROWS = `
  UPDATE domain
     SET ${Object.entries(CHANGED_COLUMNS)
       .map(([column, value]) => `${column} = ${value}`)
       .join(', ')}
    FROM change
   WHERE domain.domain = change.domain AND NOT change.is_new`;

// What is new and no drop was taken before it was listed.
const addRowsTo = (table: string) => `
  INSERT INTO ${table} (domain, name, tld, wayback, first_seen, hidden, dropped_at, available, checked_at, state, confirmed_by, announced)
  SELECT listing.domain, listing.name, listing.tld, change.wayback, change.first_seen, change.hidden, $1::timestamptz,
         change.is_drop, CASE WHEN change.is_drop THEN $1 ELSE change.checked_at END,
         CASE WHEN change.is_drop THEN 'available' ELSE 'taken' END, CASE WHEN change.is_drop THEN 'vouched:import' END,
         change.event IS NOT NULL
    FROM change
    JOIN staged_row AS listing USING (domain)
   WHERE change.is_new`;
