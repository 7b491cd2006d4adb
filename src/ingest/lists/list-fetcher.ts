import { Injectable, Module } from '@nestjs/common';
import { Config, type ListAddress } from '../../config/config.js';
import { Database } from '../../db/database.js';
import { withoutStatementTimeout } from '../../db/open-database.js';
import { createLifecycle, DomainsModule } from '../../domains/domains.module.js';
import { Lifecycle } from '../../domains/lifecycle/lifecycle.js';
import { ImplausibleRevision } from '../../domains/lifecycle/listings/listing.js';
import { messageOf } from '../../validation/unknown-values.js';
import { importNames } from '../import/importer.js';
import { downloadList, type ListResponse, ListUnavailable } from './list-client.js';
import { type ListContent, readListContent } from './list-content.js';
import { type ListAddressState, type ListFetch, ListFetchRepository } from './list-fetch.repository.js';
import { isFetchDue, judgeList, type Judgement, judgeUnchanged } from './list-judgement.js';

export interface FetchOptions {
  /** Stops the fetch; the next one of the same list goes on behind the rows that are in. */
  readonly signal?: AbortSignal | undefined;
  /** Imports a list despite an alarm, after an operator's review. */
  readonly acceptsAlarms?: boolean;
}

type Result = Omit<ListFetch, 'id' | 'address' | 'kind' | 'startedAt' | 'finishedAt' | 'isAccepted'>;

/**
 * Fetches the official drop lists and brings them into the dataset. What it does is on record; nothing is remembered
 * here.
 */
@Injectable()
export class ListFetcher {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly fetches: ListFetchRepository,
    private readonly lifecycle: Lifecycle,
  ) {}

  /**
   * Fetches one list that is due.
   *
   * @param now decides which lists are due, and which purges lie ahead
   * @returns the fetch as it went on record; null when none is due, or another process is fetching
   */
  async fetchDue(now: Date, options: FetchOptions = {}): Promise<ListFetch | null> {
    if (this.config.lists.addresses.length === 0) return null;
    return this.fetches.alone(async () => {
      await this.fetches.failKilledFetches(now);
      for (const address of this.config.lists.addresses) {
        const state = await this.fetches.readState(address.url);
        if (isFetchDue(state, now, this.config.lists.pollMs))
          return this.fetchList(address, state, now, options);
      }
      return null;
    });
  }

  /** Fetches every list now, due or not. @returns null when another process is fetching */
  async fetchAll(now: Date, options: FetchOptions = {}): Promise<ListFetch[] | null> {
    return this.fetches.alone(async () => {
      await this.fetches.failKilledFetches(now);
      const done: ListFetch[] = [];
      for (const address of this.config.lists.addresses)
        done.push(await this.fetchList(address, await this.fetches.readState(address.url), now, options));
      return done;
    });
  }

  private async fetchList(
    address: ListAddress,
    state: ListAddressState,
    startedAt: Date,
    options: FetchOptions,
  ): Promise<ListFetch> {
    const id = await this.fetches.begin(address, startedAt);
    const clockMs = performance.now();
    const result = await this.bring(address, state, startedAt, options).catch((error: unknown) =>
      failure(error),
    );
    const finishedAt = new Date(startedAt.getTime() + Math.round(performance.now() - clockMs));
    const isAccepted = false;
    const fetch = {
      id,
      address: address.url,
      kind: address.kind,
      startedAt,
      finishedAt,
      isAccepted,
      ...result,
    };
    await this.fetches.finish(fetch);
    return fetch;
  }

  private async bring(
    address: ListAddress,
    { latest, lastImported }: ListAddressState,
    now: Date,
    options: FetchOptions,
  ): Promise<Result> {
    const { pollMs, timeoutMs } = this.config.lists;
    // An operator who looked at an alarm wants the list, and not to hear that it is still the same.
    const wanted = latest?.isAccepted ? (latest.rowsSha256 ?? lastImported?.rowsSha256) : null;
    const known = options.acceptsAlarms || wanted ? null : lastImported;
    const response = await downloadList(address.url, { known, timeoutMs, signal: options.signal });
    if (response.status === 304 && lastImported)
      return unimported(responseOf(response), judgeUnchanged(lastImported, now, pollMs));
    const list = await readListContent(response.body);
    const seen = { ...responseOf(response), ...contentOf(list) };
    const wasImported = await this.fetches.wasImported(address.url, list.rowsSha256);
    const judgement = judgeList(list, { lastImported, wasImported }, now, pollMs);
    // Only the list that the operator looked at.
    const acceptsAlarms = options.acceptsAlarms || wanted === list.rowsSha256;
    const isAccepted = judgement.verdict === 'alarm' && acceptsAlarms;
    if (judgement.verdict !== 'import' && !isAccepted) return unimported(seen, judgement);
    const why = judgement.verdict === 'alarm' ? `Accepted by hand: ${judgement.why}` : null;
    try {
      const { notes, ...counts } = await this.take(address, list, now, { ...options, acceptsAlarms });
      const detail = [why, ...notes].filter((note) => note !== null).join(' ') || null;
      return { ...seen, ...counts, detail, outcome: 'imported' };
    } catch (error) {
      if (error instanceof ImplausibleRevision)
        return unimported(seen, { verdict: 'alarm', why: error.message });
      return { ...seen, outcome: 'failed', detail: messageOf(error) };
    }
  }

  private async take(
    { url, kind }: ListAddress,
    list: ListContent,
    now: Date,
    { signal, acceptsAlarms }: FetchOptions,
  ): Promise<Pick<Result, 'rejected' | 'ahead'> & { notes: string[] }> {
    const { addresses, purgeTimes } = this.config.lists;
    const isOnlyOne = addresses.filter((address) => address.kind === kind).length === 1;
    const report = await withoutStatementTimeout(this.database, (database) =>
      importNames(database, list.source(url), {
        lifecycle: this.lifecycle,
        now,
        listKind: kind,
        listSource: url,
        purgeTimes,
        revision: {
          // Several addresses of a kind may each have a part of its names.
          of: isOnlyOne ? 'kind' : 'source',
          ifImplausible: acceptsAlarms ? 'accept' : 'refuse',
        },
        ...(signal && { signal }),
      }),
    );
    const notes = [
      ...(report.delisted > 0 ? [`${report.delisted} names are no longer on it.`] : []),
      ...(report.missed === undefined
        ? []
        : [`Imported, without what a registry said meanwhile: ${report.missed}`]),
    ];
    return { rejected: report.rejected, ahead: report.dropList?.ahead ?? null, notes };
  }
}

const NOTHING: Result = {
  httpStatus: null,
  etag: null,
  lastModified: null,
  bytes: null,
  header: null,
  newestDay: null,
  rows: null,
  sha256: null,
  rowsSha256: null,
  rejected: null,
  ahead: null,
  outcome: null,
  detail: null,
};

function responseOf({ status, etag, lastModified }: ListResponse): Result {
  return { ...NOTHING, httpStatus: status, etag, lastModified };
}

function contentOf({ bytes, header, newestDay, rows, sha256, rowsSha256 }: ListContent): Partial<Result> {
  return { bytes, header: header.join(','), newestDay, rows, sha256, rowsSha256 };
}

function unimported(seen: Result, judgement: Judgement): Result {
  return judgement.verdict === 'alarm'
    ? { ...seen, outcome: 'alarm', detail: judgement.why }
    : { ...seen, outcome: 'unchanged' };
}

function failure(error: unknown): Result {
  const httpStatus = error instanceof ListUnavailable ? error.httpStatus : null;
  return { ...NOTHING, httpStatus, outcome: 'failed', detail: messageOf(error) };
}

@Module({
  imports: [DomainsModule],
  providers: [ListFetcher, ListFetchRepository],
  exports: [ListFetcher, ListFetchRepository],
})
export class ListsModule {}

/** The fetcher as the module has it, for commands. */
export function createListFetcher(database: Database, config: Config): ListFetcher {
  const fetches = new ListFetchRepository(database);
  return new ListFetcher(config, database, fetches, createLifecycle(database, config));
}
