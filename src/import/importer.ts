import { from as copyFrom } from 'pg-copy-streams';
import type { Client } from 'pg';
import { pipeline } from 'node:stream/promises';
import type { Database, Queryable } from '../database/database.js';
import { DatabaseUnavailable } from '../database/database-unavailable.js';
import { ImportError, UncertainImportError } from './import-error.js';
import { type ImportReport, listRejects } from './import-report.js';
import type { DatasetLoad } from './loading/dataset-load.js';
import { FirstLoad } from './loading/first-load.repository.js';
import { beginImport, cancelOnAbort, listRepeatedRows } from './loading/import-session.repository.js';
import { writeLedger } from './loading/ledger.repository.js';
import { Merge } from './loading/merge.repository.js';
import { writeMissedAnswers } from './loading/missed-answers.repository.js';
import type { ImportSource } from './reading/import-source.js';
import { Rejects } from './rejects.js';
import { RowFeed } from './row-feed.js';

export interface ImportOptions {
  /** Decides which days and purges lie ahead. */
  readonly now: Date;
  /** Reads, judges, merges and counts, then takes everything back; no index is built and nothing takes a reader's place. */
  readonly dryRun?: boolean;
  readonly rejectsFile?: string;
  /** From how many changes on the table may be built anew instead of being changed in place. */
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
 * Brings the rows of a file into the dataset, all in one transaction: readers see the old dataset until they see the new one.
 *
 * @throws {UncertainImportError} when nobody knows whether the names are in; after anything else that is thrown they are not
 * @throws {ImportError} when the source or the database is the reason, saying why
 */
export async function importNames(
  database: Database,
  source: ImportSource,
  options: ImportOptions,
): Promise<ImportReport> {
  const rejects = await Rejects.to(options.rejectsFile, source);
  let isMerged = false;
  try {
    const { report, importedAt } = await database.transaction(async (transaction, client) => {
      const stopListening = await cancelOnAbort(database, transaction, options.signal);
      try {
        const outcome = await new Import(transaction, client, source, rejects, options).run();
        // Before the commit: rejects that are not written are a reason to import nothing.
        await rejects.close();
        isMerged = !outcome.report.dryRun;
        return outcome;
      } catch (error) {
        options.signal?.throwIfAborted();
        throw error;
      } finally {
        await stopListening();
      }
    });
    return isMerged ? { ...report, missed: await writeMissedAnswers(database, importedAt) } : report;
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
    'The database went away during the commit, so the names may be in or not. Import them again: what is in stays as it is.',
    { cause: error },
  );
}

class Import {
  private readonly startedAt = performance.now();
  private readonly feed: RowFeed;

  constructor(
    private readonly transaction: Queryable,
    private readonly client: Client,
    private readonly source: ImportSource,
    private readonly rejects: Rejects,
    private readonly options: ImportOptions,
  ) {
    this.feed = new RowFeed(source, rejects, options.now, () => this.tell('reading'));
  }

  /** @returns with PostgreSQL's text for the time of the import */
  async run(): Promise<{ report: ImportReport; importedAt: string }> {
    const { transaction } = this;
    const step = (name: string) => this.tell(name);
    if (this.options.dryRun) await transaction.query('SAVEPOINT dry_run');
    const importedAt = await beginImport(transaction, step);
    const load = (await FirstLoad.isPossible(transaction))
      ? new FirstLoad(transaction, importedAt)
      : new Merge(transaction, importedAt, this.options.rebuildMinChanges);
    await load.prepare();
    await this.stage(load);
    step('merging');
    const repeated = await this.setRepeatedAside(load);
    const counts = await load.decide();
    if (this.options.dryRun) {
      await transaction.query('ROLLBACK TO SAVEPOINT dry_run');
    } else {
      await load.apply(counts, step);
      step('writing events');
      await writeLedger(transaction, load, counts, importedAt);
      await load.publish();
    }
    const report = {
      source: this.source.name,
      dryRun: this.options.dryRun ?? false,
      read: this.feed.read,
      ...counts,
      rejected: this.feed.rejected,
      repeated,
      seconds: (performance.now() - this.startedAt) / 1_000,
      rejects: this.rejects.first,
      rejectsFile: this.options.rejectsFile,
    };
    return { report, importedAt };
  }

  private async stage(load: DatasetLoad): Promise<void> {
    const rows = this.feed.encode((listing, line) => load.encode(listing, line));
    const copy = this.client.query(copyFrom(load.copyStatement));
    await pipeline(rows, copy, { signal: this.options.signal });
    if (this.feed.read === 0) throw new ImportError('There is no row below the header.');
    if (this.feed.rejected === this.feed.read)
      throw new ImportError(`All ${this.feed.read} rows were rejected.\n${listRejects(this.rejects.first)}`);
  }

  private async setRepeatedAside(load: DatasetLoad): Promise<number> {
    const repeated = await load.removeRepeated();
    if (repeated === 0) return 0;
    for await (const rows of listRepeatedRows(this.transaction)) {
      for (const { line, domain, last_line } of rows)
        this.rejects.add({ line, text: domain, reason: `repeated on line ${last_line}, which counts` });
      await this.rejects.flush();
    }
    return repeated;
  }

  private tell(step: string): void {
    this.options.signal?.throwIfAborted();
    const { totalBytes } = this.source;
    this.options.onProgress?.({ step, rows: this.feed.read, readBytes: this.source.readBytes(), totalBytes });
  }
}
