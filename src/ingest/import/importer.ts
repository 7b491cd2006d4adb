import type { Database, Queryable } from '../../db/database.js';
import { withoutStatementTimeout } from '../../db/open-database.js';
import { DatabaseUnavailable } from '../../errors/database-failure.js';
import type { PurgeTimes } from '../../config/config.js';
import type { ListKind } from '../../config/product.js';
import type { Lifecycle } from '../../domains/lifecycle/lifecycle.js';
import type { Listing, ListingTerms, Revision } from '../../domains/lifecycle/listings/listing.js';
import { observeMissedAnswers } from '../../domains/lifecycle/listings/missed-answers.repository.js';
import type { ListingCounts } from '../../domains/lifecycle/listings/staged-listings.repository.js';
import { ImportError } from './reading/import-error.js';
import { type ImportReport, listRejects } from './import-report.js';
import { FirstLoad, VACUUM_ROWS } from './loading/first-load.repository.js';
import { type ImportSession, withImportSession } from './loading/import-session.repository.js';
import { Merge } from './loading/merge.repository.js';
import { listRepeatedRows } from './loading/repeated-rows.repository.js';
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
  /** Reads, judges and counts, and changes and locks nothing. */
  readonly dryRun?: boolean;
  readonly rejectsFile?: string;
  /** Of all rows, the percentage that may be rejected: of more, nothing is imported. */
  readonly maxRejectsPercent?: number | undefined;
  /** Most rows of a batch. */
  readonly batchRows?: number | undefined;
  /** Stops the import: a first load is taken back, and of other files the batches that were committed stay. */
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
 * Brings the rows of a file into the dataset: a first file all at once, others in batches, beside which everybody goes
 * on reading and writing.
 *
 * @throws {UncertainImportError} when the outcome of a commit is unknown
 * @throws {PartialImportError} when batches are in: the next import of the same file goes on there
 * @throws {ImportError} when the source or the database is the reason, saying why; nothing was imported
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
  try {
    const report = await new Import(database, source, rejects, options).run();
    if (report.dryRun) return report;
    return { ...report, missed: await observeMissedAnswers(database, options.lifecycle) };
  } catch (error) {
    throw error instanceof DatabaseUnavailable ? new ImportError(error.message, { cause: error }) : error;
  } finally {
    await rejects.close();
  }
}

/** What takes the rows of a file. */
interface Loading {
  readonly copyStatement: string;
  encode(listing: Listing, line: number): string;
  removeRepeated(): Promise<number>;
}

/** What came of the rows that were not rejected. */
interface Loaded {
  readonly counts: ListingCounts;
  readonly repeated: number;
  readonly resumedAt: number;
  /** Whether another table has taken the place of `domain`. */
  readonly isRebuilt: boolean;
}

class Import {
  private readonly startedAt = performance.now();
  private readonly kind: ListKind | null;
  private readonly feed: RowFeed;
  private isStaging = false;

  constructor(
    private readonly database: Database,
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

  async run(): Promise<ImportReport> {
    const { dryRun = false, signal, rejectsFile } = this.options;
    const subject = await this.feed.readHeader();
    const { counts, repeated, resumedAt, isRebuilt } = await withImportSession(
      this.database,
      signal,
      this.step,
      (session) => this.load(session, subject),
    ).catch(async (error: unknown) => {
      if (!this.isStaging) await this.feed.close();
      throw error;
    });
    if (isRebuilt) await withoutStatementTimeout(this.database, (unlimited) => unlimited.query(VACUUM_ROWS));
    return {
      source: this.source.name,
      dryRun,
      dropList: subject === 'drops' ? { kind: this.kind, ahead: counts.ahead } : undefined,
      read: this.feed.read,
      ...counts,
      rejected: this.feed.rejected,
      repeated,
      resumedAt,
      seconds: this.seconds(),
      rejects: this.rejects.first,
      rejectsFile,
    };
  }

  private async load(session: ImportSession, subject: FileSubject): Promise<Loaded> {
    const terms = this.termsFor(subject);
    const first = this.options.dryRun ? null : await this.loadFirst(session, terms, subject === 'drops');
    return first ?? this.merge(session, terms);
  }

  /** @returns null when the dataset has rows, or cannot be loaded in this way */
  private async loadFirst(
    session: ImportSession,
    terms: ListingTerms,
    isDropList: boolean,
  ): Promise<Loaded | null> {
    return session.transaction(async (transaction) => {
      const load = await FirstLoad.begin(transaction, terms, isDropList);
      if (!load) return null;
      await load.prepare();
      await this.stage(session, load);
      const repeated = await this.setRepeatedAside(transaction, load);
      const counts = await load.finish(this.step, () => this.time());
      // Rejects that are not written are a reason to import nothing.
      await this.rejects.close();
      return { counts, repeated, resumedAt: 0, isRebuilt: true };
    });
  }

  private async merge(session: ImportSession, terms: ListingTerms): Promise<Loaded> {
    const { dryRun = false, batchRows } = this.options;
    const merge = new Merge(session, terms, {
      ...{ dryRun, batchRows, onStep: this.step, time: () => this.time() },
      onBatch: (done, rows) => this.tellBatch(done, rows),
    });
    await merge.prepare();
    await this.stage(session, merge);
    const repeated = await session.transaction((transaction) => this.setRepeatedAside(transaction, merge));
    await this.rejects.close();
    const rows = this.feed.read - this.feed.rejected - repeated;
    return { ...(await merge.run(rows, this.feed.rejectedNames)), repeated, isRebuilt: false };
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

  private async stage(session: ImportSession, loading: Loading): Promise<void> {
    this.isStaging = true;
    const rows = this.feed.encode((listing, line) => loading.encode(listing, line));
    await session.copy(loading.copyStatement, rows);
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

  private async setRepeatedAside(transaction: Queryable, loading: Loading): Promise<number> {
    this.step('merging');
    const repeated = await loading.removeRepeated();
    if (repeated === 0) return 0;
    for await (const rows of listRepeatedRows(transaction)) {
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

  private readonly step = (step: string): void => this.tell(step);

  /** @throws the reason of the signal once it is aborted */
  private tell(step: string): void {
    this.options.signal?.throwIfAborted();
    const { totalBytes } = this.source;
    this.options.onProgress?.({ step, rows: this.feed.read, readBytes: this.source.readBytes(), totalBytes });
  }

  /** The bytes go on with the rows, from the beginning again. */
  private tellBatch(done: number, rows: number): void {
    const totalBytes = this.source.totalBytes ?? rows;
    const readBytes = Math.round((done / rows) * totalBytes);
    this.options.onProgress?.({ step: 'writing', rows: done, readBytes, totalBytes });
  }
}
