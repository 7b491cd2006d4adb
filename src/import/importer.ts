import { from as copyFrom } from 'pg-copy-streams';
import type { PoolClient } from 'pg';
import { pipeline } from 'node:stream/promises';
import type { Database, Queryable } from '../database/database.js';
import { ImportError, printable } from './import-error.js';
import type { ImportReport } from './import-report.js';
import type { DatasetLoad } from './loading/dataset-load.js';
import { FirstLoad } from './loading/first-load.repository.js';
import { beginImport, listRepeatedRows } from './loading/import-session.repository.js';
import { writeLedger } from './loading/ledger.repository.js';
import { Merge } from './loading/merge.repository.js';
import { readCsvRows } from './reading/csv-rows.js';
import type { ImportSource } from './reading/import-source.js';
import { type RowLayout, rowLayoutOf } from './reading/row-layout.js';
import { Rejects } from './rejects.js';

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

/** Ten times the whole of .au and more; lines are counted in 32 bits. */
const MAX_ROWS = 100_000_000;

/**
 * Brings the rows of a file into the dataset, all in one transaction: readers see the old dataset until they see the new one.
 *
 * @throws {ImportError} when nothing was imported, saying why
 */
export async function importNames(
  database: Database,
  source: ImportSource,
  options: ImportOptions,
): Promise<ImportReport> {
  const rejects = await Rejects.open(options.rejectsFile, source.name);
  try {
    return await database.transaction(async (transaction, client) => {
      const stopListening = await cancelOnAbort(database, transaction, options.signal);
      try {
        return await new Import(transaction, client, source, rejects, options).run();
      } catch (error) {
        options.signal?.throwIfAborted();
        throw error;
      } finally {
        stopListening();
      }
    });
  } finally {
    await rejects.close();
  }
}

class Import {
  private readonly startedAt = performance.now();
  private read = 0;
  private rejected = 0;

  constructor(
    private readonly transaction: Queryable,
    private readonly client: PoolClient,
    private readonly source: ImportSource,
    private readonly rejects: Rejects,
    private readonly options: ImportOptions,
  ) {}

  async run(): Promise<ImportReport> {
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
      await writeLedger(transaction, load, counts);
      await load.publish();
    }
    return {
      source: this.source.name,
      dryRun: this.options.dryRun ?? false,
      read: this.read,
      ...counts,
      rejected: this.rejected,
      repeated,
      seconds: (performance.now() - this.startedAt) / 1_000,
      rejects: this.rejects.first,
      rejectsFile: this.options.rejectsFile,
    };
  }

  private async stage(load: DatasetLoad): Promise<void> {
    const { signal } = this.options;
    await pipeline(this.encodedBatches(load), this.client.query(copyFrom(load.copyStatement)), { signal });
    await this.rejects.flush();
    if (this.read === 0) throw new ImportError('There is no row below the header.');
    if (this.rejected === this.read)
      throw new ImportError(`All ${this.read} rows were rejected.\n${describeFirst(this.rejects)}`);
  }

  private async *encodedBatches(load: DatasetLoad): AsyncGenerator<string> {
    let layout: RowLayout | undefined;
    for await (const rows of readCsvRows(this.source.chunks())) {
      let batch = '';
      for (const { cells, line } of rows) {
        if (!layout) {
          layout = rowLayoutOf(cells, this.options.now);
          continue;
        }
        if (++this.read > MAX_ROWS) throw new ImportError(`The file has more than ${MAX_ROWS} rows.`);
        const listing = layout.read(cells);
        if (typeof listing === 'string') this.reject(line, cells[layout.nameAt], listing);
        else batch += load.encode(listing, line);
      }
      await this.rejects.flush();
      this.tell('reading');
      if (batch !== '') yield batch;
    }
    if (!layout)
      throw new ImportError('The file is empty; the first row must be a header with a column "domain".');
  }

  private reject(line: number, name: string | undefined, reason: string): void {
    this.rejected++;
    this.rejects.add({ line, text: printable(name ?? ''), reason });
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
    this.options.onProgress?.({ step, rows: this.read, readBytes: this.source.readBytes(), totalBytes });
  }
}

function describeFirst(rejects: Rejects): string {
  return rejects.first.map(({ line, text, reason }) => `  line ${line}, ${text}: ${reason}`).join('\n');
}

// Breaking the connection would not stop what the server is doing; asking it to stop does, and the rollback follows. It is
// asked again and again, as a request that arrives between two statements stops nothing.
async function cancelOnAbort(
  database: Database,
  transaction: Queryable,
  signal: AbortSignal | undefined,
): Promise<() => void> {
  const [backend] = await transaction.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  let timer: NodeJS.Timeout | undefined;
  const cancel = () => {
    // A server that is not there to be asked has ended the transaction already.
    database.query('SELECT pg_cancel_backend($1)', [backend?.pid]).catch(() => undefined);
    timer = setTimeout(cancel, CANCEL_AGAIN_MS);
  };
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  return () => {
    signal?.removeEventListener('abort', cancel);
    clearTimeout(timer);
  };
}

const CANCEL_AGAIN_MS = 500;
