import type { Queryable } from '../../../db/database.js';
import { filePendingGrams } from '../../../domains/search/discovery.repository.js';
import {
  addStagedCells,
  replaceByStagedCells,
  shownNamesOf,
  stageCells,
} from '../../../domains/search/cube/cube.repository.js';
import {
  addRows,
  CHANGED_COLUMNS,
  changeRows,
  COUNTED_CHANGES,
  followChanges,
} from '../../../domains/lifecycle/listings/changed-rows.repository.js';
import { CHANGE_EVENTS } from '../../../domains/lifecycle/listings/listing-ledger.repository.js';
import type { Listing, ListingTerms } from '../../../domains/lifecycle/listings/listing.js';
import {
  type ListingCounts,
  StagedListings,
} from '../../../domains/lifecycle/listings/staged-listings.repository.js';
import { type DatasetLoad, createRepeatedRows, removeRepeatedFrom } from './dataset-load.repository.js';
import { ShadowTable } from './shadow-table.repository.js';

/** A change in place costs 0.3 ms, mostly for the index of grams; a rebuild costs a tenth of that for each row. */
const REBUILD_SHARE = 0.1;
/** Fewer changes are fast in place, regardless of their share. */
const REBUILD_MIN_CHANGES = 50_000;
/** Share of changed rows from which the table is analyzed. Autovacuum does so at 0.1. */
const ANALYZE_SHARE = 0.05;

/**
 * Brings listings into a dataset that has rows; rows that say nothing new are not touched. The changes are made in
 * place, where readers keep every index, or, when they are a good part of the dataset, in a shadow table that takes
 * its place.
 */
export class Merge implements DatasetLoad {
  readonly copyStatement: string;
  readonly events = CHANGE_EVENTS;
  private readonly staged: StagedListings;
  private readonly shadow: ShadowTable;
  isRebuilt = false;

  /** @param rebuildMinChanges smallest number of changes for a rebuild of the table */
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

  decide(rejected: readonly string[] | null): Promise<ListingCounts> {
    return this.staged.findChanges(rejected);
  }

  async apply({ added, changed, delisted }: ListingCounts, onStep: (step: string) => void): Promise<void> {
    const changes = added + changed + delisted;
    this.isRebuilt = await this.isWorthRebuilding(changes);
    if (this.isRebuilt) await this.rebuild(onStep);
    else await this.changeInPlace(changes);
    await followChanges(this.transaction, this.terms.now);
  }

  async publish(): Promise<void> {
    if (!this.isRebuilt) return addStagedCells(this.transaction);
    await replaceByStagedCells(this.transaction);
    await this.shadow.takePlace();
  }

  private async isWorthRebuilding(changes: number): Promise<boolean> {
    if (changes < this.rebuildMinChanges) return false;
    const [dataset] = await this.transaction.query<{ rows: number }>(
      'SELECT count(*)::int AS rows FROM domain',
    );
    return changes > (dataset?.rows ?? 0) * REBUILD_SHARE && (await this.shadow.isPossible());
  }

  private async changeInPlace(changes: number): Promise<void> {
    await stageCells(this.transaction, COUNTED_CHANGES);
    await changeRows(this.transaction);
    await addRows(this.transaction, 'domain');
    await filePendingGrams(this.transaction);
    if (await this.isWorthAnalyzing(changes)) await this.transaction.query('ANALYZE (SKIP_LOCKED) domain');
  }

  // It takes as long as two thousand changes, and a daily file is hardly more.
  private async isWorthAnalyzing(changes: number): Promise<boolean> {
    // -1: never gathered.
    const [table] = await this.transaction.query<{ rows: number }>(
      `SELECT reltuples::float8 AS rows FROM pg_class WHERE oid = 'domain'::regclass`,
    );
    return changes > 0 && changes >= (table?.rows ?? 0) * ANALYZE_SHARE;
  }

  // The rows that change are locked already; the lock on the table keeps the others as they are copied.
  private async rebuild(onStep: (step: string) => void): Promise<void> {
    onStep('building the dataset anew');
    await this.shadow.lockOutWriters();
    await this.shadow.create();
    await this.shadow.copyRows(CHANGED_COLUMNS, 'LEFT JOIN change USING (domain)');
    await addRows(this.transaction, this.shadow.name);
    await stageCells(this.transaction, shownNamesOf(this.shadow.name));
    await this.shadow.addKeys();
    await this.shadow.sortRows(onStep);
    await this.shadow.addIndexes(onStep);
  }
}
