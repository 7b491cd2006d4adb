import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../config/config.js';
import { unfenced } from '../db/database.js';
import type { ListFetch } from '../ingest/list-records/list-fetch.js';
import { ListFetcher } from '../ingest/lists/list-fetcher.js';
import type { Job, JobCursor, BatchResult } from './job.js';

/** What bringing a list into the dataset may take once it is here. */
const MAX_IMPORT_MS = 60_000;

/** Looks every minute for a list that is due: hourly by default, sooner after a failure. A batch is one list. */
@Injectable()
export class ListFetchJob implements Job {
  readonly name = 'list-fetch';
  readonly everyMs = 60_000;
  readonly maxBatchMs: number;
  private readonly logger = new Logger('Lists');

  constructor(
    private readonly fetcher: ListFetcher,
    { lists }: Config,
  ) {
    this.maxBatchMs = lists.timeoutMs + MAX_IMPORT_MS;
  }

  async run(now: Date, signal: AbortSignal, _cursor: JobCursor | null): Promise<BatchResult> {
    // The fetcher has a lock of its own, and an import may wait for an operator's.
    const fetch = await unfenced(() => this.fetcher.fetchDue(now, { signal }));
    if (fetch) this.tell(fetch);
    return { more: fetch !== null };
  }

  private tell({ outcome, kind, address, rows, rejected, ahead, detail }: ListFetch): void {
    const list = `The list of ${kind} names at ${address}`;
    if (outcome === 'alarm') this.logger.error(`${list} was not imported: ${detail}`);
    else if (outcome === 'failed') this.logger.warn(`${list} could not be fetched: ${detail}`);
    else if (outcome === 'imported')
      this.logger.log(`${list}: ${rows} rows, ${rejected} rejected, ${ahead} with their purge ahead`);
  }
}
