import { from as copyFrom } from 'pg-copy-streams';
import type { Client } from 'pg';
import { pipeline } from 'node:stream/promises';
import type { Database, Queryable } from '../../db/database.js';
import { withoutStatementTimeout } from '../../db/open-database.js';
import { DEADLOCK_DETECTED, DatabaseUnavailable, isSqlState } from '../../errors/database-failure.js';
import type { PurgeTimes } from '../../config/config.js';
import type { ListKind } from '../../config/product.js';
import type { Lifecycle } from '../../domains/lifecycle/lifecycle.js';
import { writeListingLedger } from '../../domains/lifecycle/listings/listing-ledger.repository.js';
import type { ListingTerms, Revision } from '../../domains/lifecycle/listings/listing.js';
import { observeMissedAnswers } from '../../domains/lifecycle/listings/missed-answers.repository.js';
import type { ListingCounts } from '../../domains/lifecycle/listings/staged-listings.repository.js';
import { ImportError, UncertainImportError } from './reading/import-error.js';
import { type ImportReport, listRejects } from './import-report.js';
import { type DatasetLoad, listRepeatedRows, VACUUM_ROWS } from './loading/dataset-load.repository.js';
import { FirstLoad } from './loading/first-load.repository.js';
import { beginImport, cancelOnAbort } from './loading/import-session.repository.js';
import { Merge } from './loading/merge.repository.js';
import { listKindIn } from './reading/drop-list.js';
import type { ImportSource } from './reading/import-source.js';
import type { FileSubject } from './reading/row-layout.js';
import { Rejects } from './rejects.js';
import { RowFeed } from './row-feed.js';
import type { Vouch } from './vouch.js';

export interface ImportOptions {
  /** Takes the answers that registries gave meanwhile. */
  readonly lifecycle: Lifecycle;
  /** The time by the database's clock: decides which days and purges lie ahead. */
  readonly now: Date;
  /** Which of the two drop lists it is; null: unknown. Default: derived from the name of the source. */
  readonly listKind?: ListKind | null | undefined;
  /** Address or name of the list, as rows keep it; the name of the source, if it is not given. */
  readonly listSource?: string | undefined;
  /** When the purges of a day run, if not at the official times. */
  readonly purgeTimes?: PurgeTimes | undefined;
  /** Who vouches that the names were free, and when they were. */
  readonly vouch?: Vouch | undefined;
  /** Writes an event also for drops that are too old to be news. */
  readonly announcesOldDrops?: boolean | undefined;
  /** Whether names are added that the dataset does not have. Without it: unless it is a file of scores. */
  readonly adds?: boolean | undefined;
  /** What a drop list means for names of its days that it lacks. Without it, nothing. */
  readonly revision?: Revision | undefined;
  /** Re-checks names whose purge has passed and that the list does not change: for imports by hand. */
  readonly asksAgain?: boolean | undefined;
  /**
   * Reads, judges, merges and counts, then takes everything back; no index is built and nothing takes a reader's
   * place.
   */
  readonly dryRun?: boolean;
  readonly rejectsFile?: string;
  /** Of all rows, the percentage that may be rejected: of more, nothing is imported. */
  readonly maxRejectsPercent?: number | undefined;
  /** Smallest number of changes for which the table may be rebuilt instead of changed in place. */
  readonly rebuildMinChanges?: number;
  /** Stops the import and takes everything back. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
}

export interface ImportProgress {
  readonly step: string;
  readonly rows: number;
  readonly readBytes: number;
  readonly totalBytes: number | null;
}

/**
 * Brings the rows of a file into the dataset, all in one transaction: readers see the old dataset until they see the
 * new one.
 *
 * @throws {UncertainImportError} when the outcome of the commit is unknown; after any other error nothing was
 * imported
 * @throws {ImportError} when the source or the database is the reason, saying why
 */
export async function importNames(
  database: Database,
  source: ImportSource,
  options: ImportOptions,
): Promise<ImportReport> {
  if (options.vouch && options.vouch.at > options.now)
    throw new ImportError(
      'Nobody can vouch for what lies in the future: the time of the confirmation is ahead.',
    );
  const rejects = await Rejects.to(options.rejectsFile, source);
  let isMerged = false;
  let isRebuilt = false;
  try {
    const report = await database.transaction(async (transaction, client) => {
      const stopListening = await cancelOnAbort(database, transaction, options.signal);
      try {
        const outcome = await new Import(transaction, client, source, rejects, options).run((load) => {
          isRebuilt = load.isRebuilt;
        });
        // Before the commit: rejects that are not written are a reason to import nothing.
        await rejects.close();
        isMerged = !outcome.dryRun;
        return outcome;
      } catch (error) {
        options.signal?.throwIfAborted();
        throw error;
      } finally {
        await stopListening();
      }
    });
    // Set by the work above, in functions that the compiler does not look into.
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition
    if (isMerged && isRebuilt)
      await withoutStatementTimeout(database, (unlimited) => unlimited.query(VACUUM_ROWS));
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition
    return isMerged ? { ...report, missed: await observeMissedAnswers(database, options.lifecycle) } : report;
  } catch (error) {
    throw explain(error, isMerged);
  } finally {
    await rejects.close();
  }
}

function explain(error: unknown, isMerged: boolean): unknown {
  if (!(error instanceof DatabaseUnavailable)) return error;
  if (error.kind === 'refusing' || !isMerged) return new ImportError(error.message, { cause: error });
  return new UncertainImportError(
    'The database went away during the commit, so the names may be in or not. Import them again: what is in ' +
      'stays as it is.',
    { cause: error },
  );
}

/** How often the changes are made when other writers are in the way. */
const MAX_TRIES = 5;

class Import {
  private readonly startedAt = performance.now();
  private readonly kind: ListKind | null;
  private readonly feed: RowFeed;

  constructor(
    private readonly transaction: Queryable,
    private readonly client: Client,
    private readonly source: ImportSource,
    private readonly rejects: Rejects,
    private readonly options: ImportOptions,
  ) {
    const { now, listKind, purgeTimes, vouch } = options;
    const isVouched = vouch !== undefined;
    this.kind = listKind === undefined ? listKindIn(source.name) : listKind;
    this.feed = new RowFeed(source, rejects, { now, kind: this.kind, purgeTimes, isVouched }, () =>
      this.tell('reading'),
    );
  }

  /** @param onLoaded sees the load before the commit */
  async run(onLoaded: (load: DatasetLoad) => void): Promise<ImportReport> {
    const { transaction } = this;
    const step = (name: string) => this.tell(name);
    const subject = await this.feed.readHeader();
    const load = await this.begin(subject, step);
    await load.prepare();
    await this.stage(load);
    step('merging');
    const repeated = await this.setRepeatedAside(load);
    const counts = await this.withoutDeadlock(() => this.bring(load, step), step);
    if (this.options.dryRun) await transaction.query('ROLLBACK TO SAVEPOINT dry_run');
    onLoaded(load);
    return {
      source: this.source.name,
      dryRun: this.options.dryRun ?? false,
      dropList: subject === 'drops' ? { kind: this.kind, ahead: counts.ahead } : undefined,
      read: this.feed.read,
      ...counts,
      rejected: this.feed.rejected,
      repeated,
      seconds: this.seconds(),
      rejects: this.rejects.first,
      rejectsFile: this.options.rejectsFile,
    };
  }

  private async bring(load: DatasetLoad, step: (name: string) => void): Promise<ListingCounts> {
    const counts = await load.decide(this.feed.rejectedNames);
    if (this.options.dryRun) return counts;
    await load.apply(counts, step);
    step('writing events');
    await writeListingLedger(this.transaction, load.events, counts.availableDelta, this.time());
    await load.publish();
    return counts;
  }

  /**
   * Begins again with the rows that are staged when PostgreSQL ends a deadlock with another writer here; all locks
   * since are given back.
   */
  private async withoutDeadlock<Result>(
    work: () => Promise<Result>,
    step: (name: string) => void,
  ): Promise<Result> {
    await this.transaction.query('SAVEPOINT staged');
    for (let tries = 1; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        if (!isSqlState(error, DEADLOCK_DETECTED) || tries === MAX_TRIES) throw error;
        await this.transaction.query('ROLLBACK TO SAVEPOINT staged');
        step('merging again: another writer was in the way');
      }
    }
  }

  private async begin(subject: FileSubject, step: (name: string) => void): Promise<DatasetLoad> {
    const { transaction } = this;
    try {
      if (this.options.dryRun) await transaction.query('SAVEPOINT dry_run');
      await beginImport(transaction, step);
      const terms = this.termsFor(subject);
      const first = await FirstLoad.begin(transaction, terms, subject === 'drops');
      return first ?? new Merge(transaction, terms, this.options.rebuildMinChanges);
    } catch (error) {
      await this.feed.close();
      throw error;
    }
  }

  private termsFor(subject: FileSubject): ListingTerms {
    const {
      now,
      vouch,
      announcesOldDrops = false,
      adds,
      revision,
      asksAgain = false,
      listSource,
    } = this.options;
    return {
      now,
      kind: subject === 'drops' ? this.kind : null,
      source: listSource ?? this.source.name,
      vouch: vouch ?? null,
      announcesOldDrops,
      // A file of scores with unknown names belongs to another dataset, or has misspelt names.
      adds: adds ?? (vouch !== undefined || subject !== 'scores'),
      revision: revision ?? null,
      asksAgain,
    };
  }

  private async stage(load: DatasetLoad): Promise<void> {
    const rows = this.feed.encode((listing, line) => load.encode(listing, line));
    const copy = this.client.query(copyFrom(load.copyStatement));
    await pipeline(rows, copy, { signal: this.options.signal });
    if (this.feed.read === 0) throw new ImportError('There is no row below the header.');
    if (this.feed.rejected === this.feed.read)
      throw new ImportError(`All ${this.feed.read} rows were rejected.\n${listRejects(this.rejects.first)}`);
    this.assertFewRejects();
  }

  private assertFewRejects(): void {
    const { read, rejected } = this.feed;
    const { maxRejectsPercent = 100 } = this.options;
    const percent = (rejected / read) * 100;
    if (percent > maxRejectsPercent)
      throw new ImportError(
        `${rejected} of ${read} rows were rejected, ${percent.toFixed(1)} %; ${maxRejectsPercent} % may ` +
          `be.\n${listRejects(this.rejects.first)}`,
      );
  }

  private async setRepeatedAside(load: DatasetLoad): Promise<number> {
    const repeated = await load.removeRepeated();
    if (repeated === 0) return 0;
    for await (const rows of listRepeatedRows(this.transaction)) {
      for (const { line, domain, kept_line } of rows)
        this.rejects.add({ line, text: domain, reason: `repeated on line ${kept_line}, which counts` });
      await this.rejects.flush();
    }
    return repeated;
  }

  private seconds(): number {
    return (performance.now() - this.startedAt) / 1_000;
  }

  /** The time by the clock that the import was given. */
  private time(): Date {
    return new Date(this.options.now.getTime() + this.seconds() * 1_000);
  }

  private tell(step: string): void {
    this.options.signal?.throwIfAborted();
    const { totalBytes } = this.source;
    this.options.onProgress?.({ step, rows: this.feed.read, readBytes: this.source.readBytes(), totalBytes });
  }
}
