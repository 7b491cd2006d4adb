import { createHash } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { setTimeout as pause } from 'node:timers/promises';
import { inOrder, type Queryable } from '../../../db/database.js';
import { DEADLOCK_DETECTED, isSqlState, LOCK_NOT_AVAILABLE } from '../../../errors/database-failure.js';
import { filePending } from '../../../db/read-ahead.js';
import { SEARCH_INDEXES } from '../../../domains/schema/filters/score-bands.js';
import {
  addRows,
  changeRows,
  COUNTED_CHANGES,
  followChanges,
} from '../../../domains/lifecycle/listings/changed-rows.repository.js';
import {
  CHANGE_EVENTS,
  writeListingLedger,
} from '../../../domains/lifecycle/listings/listing-ledger.repository.js';
import type { Listing, ListingTerms } from '../../../domains/lifecycle/listings/listing.js';
import {
  ChangedMeanwhile,
  type FoundChanges,
  type ListingCounts,
  NO_LISTINGS,
  StagedListings,
} from '../../../domains/lifecycle/listings/staged-listings.repository.js';
import { ImportError, PartialImportError } from '../reading/import-error.js';
import { type BatchLocks, BatchSize } from './batch-size.js';
import type { ImportSession } from './import-session.repository.js';
import { createRepeatedRows, removeRepeatedFrom } from './repeated-rows.repository.js';

/** A dry run locks nothing. */
const DRY_ROWS = 20_000;

/**
 * The wait for a lock in the first try of a batch, and the longest; meanwhile the batch keeps its other locks. Shorter
 * than the second after which PostgreSQL looks for a deadlock, so the import always gives way.
 */
const LOCK_MS = 75;
const MAX_LOCK_MS = 800;
const PAUSE_MS = 50;
/** Then the import ends, and can be resumed. */
const MAX_LOCKED_MS = 10 * 60_000;

/** The list of grams that searches read as well is kept short. */
const FILE_EVERY_MS = 5_000;
/** Tells benchmarks of each batch's locks, as {@link BatchLocks}. */
const batches = channel('bowerbird:import-batch');
/** Share of changed rows from which the table is analyzed. Autovacuum does so at 0.1. */
const ANALYZE_SHARE = 0.05;

export interface MergeOptions {
  readonly dryRun: boolean;
  /** Most rows of a batch. */
  readonly batchRows?: number | undefined;
  /** The time by the clock that the import was given. */
  readonly time: () => Date;
  readonly onStep: (step: string) => void;
  /** @param done rows that are in, or say nothing new, of `rows` */
  readonly onBatch: (done: number, rows: number) => void;
}

/** Where an import is: what its batches have come to, and the last name of the last batch. */
interface Place {
  readonly counts: ListingCounts;
  /** Null while names are taken off that the list lacks, which comes first. */
  readonly done: string | null;
}

/**
 * Brings listings into a dataset that has rows, a few hundred at a time: each batch is a short transaction, and
 * everybody else reads and writes beside it. Rows that say nothing new are not touched. A batch writes down how far the
 * import is, so the next import of the same file goes on there.
 */
export class Merge {
  readonly copyStatement: string;
  private readonly staged: StagedListings;
  private readonly hash = createHash('sha256');
  private fingerprint = '';
  private place: Place = { counts: NO_LISTINGS, done: null };
  private readonly size: BatchSize;
  private filedAt = performance.now();
  private isFiled = true;

  constructor(
    private readonly session: ImportSession,
    private readonly terms: ListingTerms,
    private readonly options: MergeOptions,
  ) {
    this.staged = new StagedListings(terms);
    this.copyStatement = this.staged.copyStatement;
    this.size = new BatchSize(options.batchRows);
  }

  async prepare(): Promise<void> {
    await createRepeatedRows(this.session.statements);
    await this.staged.create(this.session.statements);
  }

  /** One line of COPY text. */
  encode(listing: Listing, line: number): string {
    const text = this.staged.encode(listing, line);
    this.hash.update(text);
    return text;
  }

  /** Leaves the newest row of each name; the others go to the table `repeated_row`. @returns how many those are */
  async removeRepeated(): Promise<number> {
    await this.staged.sort(this.session.statements);
    return removeRepeatedFrom(this.session.statements, 'file_row', 'purge_at');
  }

  /**
   * @param rows of the file that are to be brought in
   * @param rejected valid names of rejected rows; null: they are too many
   * @returns what came of all rows, and how many of them an earlier import of the file had brought in
   * @throws {PartialImportError} when it ends after the first batch
   */
  async run(
    rows: number,
    rejected: readonly string[] | null,
  ): Promise<{ counts: ListingCounts; resumedAt: number }> {
    await this.resume();
    const resumedAt = rowsIn(this.place.counts);
    if (resumedAt > 0) this.options.onStep(`going on behind ${resumedAt} rows that are in`);
    try {
      if (this.place.done === null) await this.takeOff(rejected);
      while (await this.runBatch((transaction) => this.takeNext(transaction)))
        this.options.onBatch(rowsIn(this.place.counts), rows);
      if (!this.options.dryRun) await this.finish();
    } catch (error) {
      const done = rowsIn(this.place.counts);
      if (this.options.dryRun || changesOf(this.place.counts) === 0) throw error;
      throw new PartialImportError(error, done, rows);
    }
    return { counts: this.place.counts, resumedAt };
  }

  private async resume(): Promise<void> {
    // Without the time: the same file resumes at any time.
    this.fingerprint = this.hash.update(JSON.stringify({ ...this.terms, now: null })).digest('hex');
    if (this.options.dryRun) return;
    const [place] = await this.session.statements.query<Place & Record<string, unknown>>(
      'SELECT counts, done FROM import_run WHERE fingerprint = $1',
      [this.fingerprint],
    );
    if (place) this.place = place;
  }

  /** Takes names off that a revised list lacks, unless it is not to be believed. */
  private async takeOff(rejected: readonly string[] | null): Promise<void> {
    const keptListed = await this.staged.judgeMissing(this.session.statements, rejected);
    const find = async (transaction: Queryable) => {
      const limit = this.options.dryRun ? DRY_ROWS : this.size.known;
      const found = await this.staged.findMissing(transaction, rejected, limit);
      return { ...found, done: null, isFull: found.known === limit };
    };
    // A dry run leaves them listed, and would find them again.
    while (keptListed === 0 && (await this.runBatch(find)) && !this.options.dryRun);
    this.place = { counts: { ...this.place.counts, keptListed }, done: '' };
  }

  private async takeNext(transaction: Queryable): Promise<Found> {
    const { dryRun, batchRows = DRY_ROWS } = this.options;
    const limit = dryRun ? batchRows : this.size.rows;
    const taking = this.staged.takeRows(transaction, this.place.done ?? '', limit);
    const finding = this.staged.findChanges(transaction, dryRun ? limit : this.size.known);
    await inOrder([taking, finding]);
    const { rows, last } = await taking;
    const found = await finding;
    const { cutAt } = found;
    return {
      ...found,
      done: cutAt ?? last ?? this.place.done,
      isFull: cutAt !== null || rows === limit,
    };
  }

  /** @returns whether there may be more */
  private async runBatch(find: (transaction: Queryable) => Promise<Found>): Promise<boolean> {
    const findAndAdd = async (transaction: Queryable) => {
      const found = await find(transaction);
      await this.addNew(transaction, found);
      return found;
    };
    const { found, written } = await this.untilUnlocked((lockTimeoutMs) =>
      this.session.batch(findAndAdd, (transaction, found) => this.write(transaction, found), lockTimeoutMs),
    );
    this.place = this.placeAfter(found);
    if (!this.options.dryRun) this.noteLocks(found, written);
    if (performance.now() - this.filedAt > FILE_EVERY_MS) await this.fileGrams();
    return found.isFull;
  }

  private placeAfter({ counts, done }: Found): Place {
    return { counts: sum(this.place.counts, counts), done };
  }

  private noteLocks({ rows, known }: Found, locks: Locks | null): void {
    const { committedAtMs } = this.session;
    const { namesAtMs, datasetAtMs } = locks ?? { namesAtMs: committedAtMs, datasetAtMs: committedAtMs };
    const taken: BatchLocks = {
      ...{ rows, known },
      namesMs: committedAtMs - namesAtMs,
      datasetMs: committedAtMs - datasetAtMs,
    };
    this.size.adapt(taken);
    if (!locks) return;
    batches.publish(taken);
    this.isFiled = false;
  }

  /**
   * Adds new names, for which no other transaction waits, and notes the place. They are most of a batch's log: it is on
   * disk before the batch locks rows that others want, so COMMIT takes no longer than that of a small transaction.
   */
  private async addNew(transaction: Queryable, found: Found): Promise<void> {
    const { counts } = found;
    if (changesOf(counts) === 0 || this.options.dryRun) return;
    const place = this.placeAfter(found);
    const noting = transaction.prepared({
      name: 'note_import',
      text: NOTE_PLACE,
      values: [this.fingerprint, this.terms.source, JSON.stringify(place.counts), place.done],
    });
    const adding = counts.added > 0 ? [addRows(transaction)] : [];
    await inOrder([noting, ...adding]);
    if (counts.added > 0) await this.session.flushLog();
  }

  /**
   * Locks the row of the dataset last, since every writer waits for that row. The statements are sent together with
   * COMMIT, so others wait for no round trip.
   */
  private async write(transaction: Queryable, { counts, known }: Found): Promise<Locks | null> {
    if (changesOf(counts) === 0 || this.options.dryRun) return null;
    const locking = known > 0 ? this.staged.lockChanges(transaction) : Promise.resolve(null);
    const changing = known > 0 ? [changeRows(transaction)] : [];
    const following = followChanges(transaction, this.terms.now);
    const at = this.options.time();
    const counting = writeListingLedger(transaction, CHANGE_EVENTS, counts, at, COUNTED_CHANGES);
    await inOrder([locking, ...changing, following, counting]);
    const datasetAtMs = await counting;
    return { namesAtMs: (await locking) ?? datasetAtMs, datasetAtMs };
  }

  /** Repeats a batch while another writer has its locks. Between two tries it has none; each try waits longer. */
  private async untilUnlocked<Result>(work: (lockTimeoutMs: number) => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    for (let tries = 1; ; tries += 1) {
      this.session.signal?.throwIfAborted();
      try {
        return await work(Math.min(tries * LOCK_MS, MAX_LOCK_MS));
      } catch (error) {
        if (!isPassing(error)) throw error;
        if (performance.now() - startedAt > MAX_LOCKED_MS)
          throw new ImportError('Another program has locked names of the dataset for ten minutes.', {
            cause: error,
          });
        await pause(PAUSE_MS);
      }
    }
  }

  private async finish(): Promise<void> {
    const { session, options } = this;
    await session.transaction(async (transaction) => {
      await transaction.query('DELETE FROM import_run WHERE fingerprint = $1', [this.fingerprint]);
      await writeListingLedger(transaction, CHANGE_EVENTS, NO_LISTINGS, options.time());
    });
    await this.fileGrams();
    if (await this.isWorthAnalyzing())
      await session.transaction((transaction) => transaction.query('ANALYZE (SKIP_LOCKED) domain'));
  }

  private async fileGrams(): Promise<void> {
    if (!this.isFiled && !this.options.dryRun)
      await this.session.transaction((source) => filePending(source, SEARCH_INDEXES));
    this.isFiled = true;
    this.filedAt = performance.now();
  }

  // It takes as long as two thousand changes, and a daily file is hardly more.
  private async isWorthAnalyzing(): Promise<boolean> {
    // -1: never gathered.
    const [table] = await this.session.statements.query<{ rows: number }>(
      `SELECT reltuples::float8 AS rows FROM pg_class WHERE oid = 'domain'::regclass`,
    );
    const changes = changesOf(this.place.counts);
    return changes > 0 && changes >= (table?.rows ?? 0) * ANALYZE_SHARE;
  }
}

/** Whether a batch that failed so is repeated. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof ChangedMeanwhile ||
    isSqlState(error, LOCK_NOT_AVAILABLE) ||
    isSqlState(error, DEADLOCK_DETECTED)
  );
}

interface Found extends FoundChanges, Pick<Place, 'done'> {
  /** Whether there may be more. */
  readonly isFull: boolean;
}

/** When a batch began to lock each of them, by the server's clock. */
interface Locks {
  readonly namesAtMs: number;
  readonly datasetAtMs: number;
}

// What another file has changed since, an import that went on would leave as it is: it begins again.
const NOTE_PLACE = `
  WITH others AS (DELETE FROM import_run WHERE fingerprint <> $1)
  INSERT INTO import_run (fingerprint, source, counts, done) VALUES ($1, $2, $3, $4)
  ON CONFLICT (fingerprint) DO UPDATE SET counts = excluded.counts, done = excluded.done, touched_at = clock_timestamp()`;

function changesOf({ added, changed, delisted, askedAgain }: ListingCounts): number {
  return added + changed + delisted + askedAgain;
}

/** Rows of the file that the counts are of. */
function rowsIn({ added, changed, unchanged, absent }: ListingCounts): number {
  return added + changed + unchanged + absent;
}

function sum(one: ListingCounts, other: ListingCounts): ListingCounts {
  return {
    added: one.added + other.added,
    changed: one.changed + other.changed,
    unchanged: one.unchanged + other.unchanged,
    absent: one.absent + other.absent,
    askedAgain: one.askedAgain + other.askedAgain,
    ahead: one.ahead + other.ahead,
    delisted: one.delisted + other.delisted,
    keptListed: one.keptListed + other.keptListed,
    events: one.events + other.events,
    availableDelta: one.availableDelta + other.availableDelta,
  };
}
