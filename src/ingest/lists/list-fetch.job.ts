import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Database } from '../../db/database.js';
import { deleteOldImportRuns } from '../import/import-run.repository.js';
import { type ListFetch, ListFetchRepository } from './list-fetch.repository.js';
import { ListFetcher } from './list-fetcher.js';
import type { Kind, Work, WorkResult } from '../../work/kind.js';

/** Longest that the import of a fetched list takes. */
const MAX_IMPORT_MS = 60_000;

/** Looks every minute for a list that is due: hourly by default, sooner after a failure. A run is one list. */
@Injectable()
export class ListFetchJob implements Kind {
  readonly name = 'list-fetch';
  readonly everyMs = 60_000;
  readonly deadlineMs: number;
  private readonly logger = new Logger('Lists');

  constructor(
    private readonly fetcher: ListFetcher,
    { lists }: Config,
  ) {
    this.deadlineMs = lists.timeoutMs + MAX_IMPORT_MS;
  }

  async run(_work: Work, now: Date, signal: AbortSignal): Promise<WorkResult> {
    const fetch = await this.fetcher.fetchDue(now, { signal });
    if (fetch) this.report(fetch);
    return fetch === null ? {} : { againInMs: 0 };
  }

  private report({ outcome, kind, address, rows, rejected, ahead, detail }: ListFetch): void {
    const list = `The list of ${kind} names at ${address}`;
    if (outcome === 'alarm') this.logger.error(`${list} was not imported: ${detail}`);
    else if (outcome === 'failed') this.logger.warn(`${list} could not be fetched: ${detail}`);
    else if (outcome === 'imported')
      this.logger.log(`${list}: ${rows} rows, ${rejected} rejected, ${ahead} with their purge ahead`);
  }
}

/** Deletes records of fetches, and of imports that ended early, that are no longer kept. */
@Injectable()
export class ListFetchPurgeJob implements Kind {
  readonly name = 'list-fetch-purge';
  readonly everyMs = 24 * 3_600_000;

  constructor(
    private readonly fetches: ListFetchRepository,
    private readonly database: Database,
  ) {}

  async run(_work: Work, now: Date): Promise<WorkResult> {
    await this.fetches.deleteOld(now);
    await deleteOldImportRuns(this.database);
    return {};
  }
}
