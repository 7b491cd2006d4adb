import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { readAhead } from '../db/read-ahead.js';
import { ReadDatabase } from '../db/replicas/read-database.js';
import { Database } from '../db/database.js';
import { unscoped } from '../db/scope.js';
import { DatabaseUnavailable } from '../errors/database-failure.js';
import { DiscoveryRepository } from './search/discovery.repository.js';
import { NameSampler } from './search/name-sampler.js';

/** Questions asked of a server that has just started, and how much of a name each has. */
const MAX_QUESTIONS = 24;
const PATTERN_LENGTH = 5;
/** The service listens when all are answered, or after this long. */
const MAX_WAIT_MS = 15_000;
const ANYTHING = { mode: 'contains', suffixes: [], minWayback: 0, limit: 10 } as const;
const RETRY_MS = 500;
/** Ten minutes: a server that is away for longer is warmed by its callers. */
const MAX_ATTEMPTS = 1_200;

/**
 * Asks typical questions whenever PostgreSQL has started, so that no caller meets a session that has to be opened,
 * reads the catalogue and plans its statements, nor names that lie on disk.
 */
@Injectable()
export class DiscoveryWarmUp implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(DiscoveryWarmUp.name);
  private readonly stopping = new AbortController();
  private warming: Promise<void> | null = null;

  constructor(
    private readonly database: Database,
    private readonly reads: ReadDatabase,
    private readonly sampler: NameSampler,
    private readonly discovery: DiscoveryRepository,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.reads.whenSearchesAreLost(() => void this.warm());
    await Promise.race([this.warm(), pause(MAX_WAIT_MS, undefined, { ref: false })]);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.warming;
  }

  /** Never throws: callers warm the rest. */
  private warm(): Promise<void> {
    this.warming ??= unscoped(() => this.warmWhenThere())
      .catch((error: unknown) => this.logger.warn(`Searches were not warmed up: ${String(error)}`))
      .finally(() => {
        this.warming = null;
      });
    return this.warming;
  }

  private async warmWhenThere(): Promise<void> {
    const { signal } = this.stopping;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS && !signal.aborted; attempt += 1) {
      try {
        await this.ask();
        return;
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
      }
      await pause(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  private async ask(): Promise<void> {
    await this.discovery.discoverOffers(ANYTHING);
    await Promise.all([this.sampler.refresh(), readAhead(this.database)]);
    for (const name of this.sampler.current?.firstNames(MAX_QUESTIONS) ?? []) {
      if (this.stopping.signal.aborted) return;
      await this.discovery.discoverOffers({ ...ANYTHING, q: name.slice(0, PATTERN_LENGTH) });
    }
  }
}
