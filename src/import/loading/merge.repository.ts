import type { Queryable } from '../../database/database.js';
import {
  addRows,
  CHANGED_COLUMNS,
  changeRows,
  followChanges,
} from '../../domains/lifecycle/listings/changed-rows.repository.js';
import { CHANGE_EVENTS } from '../../domains/lifecycle/listings/listing-ledger.repository.js';
import type { Listing, ListingTerms } from '../../domains/lifecycle/listings/listing.js';
import {
  type ListingCounts,
  StagedListings,
} from '../../domains/lifecycle/listings/staged-listings.repository.js';
import type { DatasetLoad } from './dataset-load.js';
import { createRepeatedRows, removeRepeatedFrom } from './repeated-rows.repository.js';
import { ShadowTable } from './shadow-table.repository.js';

/** A change in place costs 0.3 ms, mostly the index of pieces; building everything anew, a tenth of that for each row there is. */
const REBUILD_SHARE = 0.1;
/** What changes less is quickly done in place, whatever its share. */
const REBUILD_MIN_CHANGES = 50_000;

/**
 * Brings listings into a dataset that has rows; rows that say nothing new are not touched. The changes are made in place,
 * where readers keep every index, or, when they are a good part of the dataset, in a shadow table that takes its place.
 */
export class Merge implements DatasetLoad {
  readonly copyStatement: string;
  readonly events = CHANGE_EVENTS;
  private readonly staged: StagedListings;
  private readonly shadow: ShadowTable;
  private isRebuilt = false;

  /** @param rebuildMinChanges how many changes it takes at least to build the table anew */
  constructor(
    private readonly transaction: Queryable,
    private readonly terms: ListingTerms,
    private readonly rebuildMinChanges = REBUILD_MIN_CHANGES,
  ) {
    this.staged = new StagedListings(transaction, terms);
    this.copyStatement = this.staged.copyStatement;
    this.shadow = new ShadowTable(transaction);
  }

  async prepare(): Promise<void> {
    await createRepeatedRows(this.transaction);
    await this.staged.create();
  }

  encode(listing: Listing, line: number): string {
    return this.staged.encode(listing, line);
  }

  removeRepeated(): Promise<number> {
    return removeRepeatedFrom(this.transaction, 'staged_row', 'purge_at');
  }

  decide(): Promise<ListingCounts> {
    return this.staged.findChanges();
  }

  async apply({ added, changed }: ListingCounts, onStep: (step: string) => void): Promise<void> {
    this.isRebuilt = await this.isWorthRebuilding(added + changed);
    if (this.isRebuilt) await this.rebuild(onStep);
    else await this.changeInPlace();
    await followChanges(this.transaction, this.terms.now);
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
    await changeRows(this.transaction);
    await addRows(this.transaction, 'domain');
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
    await this.shadow.copyRows(CHANGED_COLUMNS, 'LEFT JOIN change USING (domain)');
    await addRows(this.transaction, this.shadow.name);
    await this.shadow.addKeys();
    await this.shadow.addIndexes(onStep);
  }
}
