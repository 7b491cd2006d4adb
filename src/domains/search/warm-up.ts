import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailable } from '../../errors/database-failure.js';
import { DiscoveryRepository } from './discovery.repository.js';
import { NameSampler } from './name-sampler.js';

/** Questions asked of a server that has just started, and how much of a name each has. */
const MAX_QUESTIONS = 24;
const PATTERN_LENGTH = 5;
/** Requests are answered when the first question has been, or after this long. */
const MAX_WAIT_MS = 500;
const ANYTHING = { mode: 'contains', suffixes: [], minWayback: 0, limit: 10 } as const;
const RETRY_MS = 500;
/** Ten minutes: a server that is away for longer is warmed by its callers. */
const MAX_ATTEMPTS = 1_200;

/**
 * Asks typical questions whenever PostgreSQL has started, so that no caller meets a session that has to be opened,
 * reads the catalogue and plans its statements, nor bands whose first pages lie on disk. The embedded server brings
 * back what it had in memory by itself (pg_prewarm).
 */
@Injectable()
export class DiscoveryWarmUp implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(DiscoveryWarmUp.name);
  private readonly stopping = new AbortController();
  private warming: Promise<void> | null = null;

  constructor(
    private readonly sampler: NameSampler,
    private readonly discovery: DiscoveryRepository,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.discovery.whenSessionsAreLost(() => void this.warm());
    // The sample of names takes 0.3 s of CPU time, which no caller has to wait for.
    const first = this.discovery.discoverOffers(ANYTHING).catch(() => undefined);
    await Promise.race([first, pause(MAX_WAIT_MS, undefined, { ref: false })]);
    void this.warm();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.warming;
  }

  /** Never throws: callers warm the rest. */
  private warm(): Promise<void> {
    this.warming ??= this.warmWhenThere()
      .catch((error: unknown) => {
        if (!this.stopping.signal.aborted) this.logger.warn(`Searches were not warmed up: ${String(error)}`);
      })
      .finally(() => {
        this.warming = null;
      });
    return this.warming;
  }

  private async warmWhenThere(): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      try {
        await this.ask();
        return;
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
        await pause(RETRY_MS, undefined, { signal: this.stopping.signal, ref: false });
      }
    }
  }

  private async ask(): Promise<void> {
    await this.discovery.discoverOffers(ANYTHING);
    await this.sampler.refresh();
    const names = this.sampler.current?.firstNames(MAX_QUESTIONS) ?? [];
    for (const name of names) {
      if (this.stopping.signal.aborted) return;
      await this.discovery.discoverOffers({ ...ANYTHING, q: name.slice(0, PATTERN_LENGTH) });
    }
  }
}
