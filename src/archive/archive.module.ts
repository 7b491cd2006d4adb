import { Module, Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { DomainsModule } from '../domains/domains.module.js';
import { ArchiveQueue, type ArchiveQueueSize } from './archive-queue.repository.js';
import { ArchiveScoreRepository } from './archive-score.repository.js';
import { ArchiveScorer } from './archive-scorer.js';
import { ArchiveClient } from './archive-client.js';
import { ArchiveRateLimiter } from './archive-rate-limiter.repository.js';
import { CdxClient } from './cdx-client.js';
import type { Kind, Work, WorkResult } from '../work/kind.js';

/** How scoring does, for the status page; null is not known, or not so. */
export interface ArchiveHealth {
  /** Whether names are scored at all (ARCHIVE_CDX_URL). */
  readonly isOn: boolean;
  readonly source: Config['archive']['source'];
  /** Until when the archive is left alone, and why; null when it is not. */
  readonly restingUntil: Date | null;
  readonly restReason: string | null;
  /** Questions without an answer since the last answer. */
  readonly failuresInRow: number;
  readonly lastAskedAt: Date | null;
  readonly lastAnsweredAt: Date | null;
  readonly queue: ArchiveQueueSize;
}

@Injectable()
export class ArchiveHealthReader {
  constructor(
    private readonly turns: ArchiveRateLimiter,
    private readonly queue: ArchiveQueue,
    private readonly config: Config,
  ) {}

  async read(now: Date): Promise<ArchiveHealth> {
    const [state, queue] = await Promise.all([this.turns.read(), this.queue.size(now)]);
    const { restUntil, restReason, failuresInRow, lastAskedAt, lastAnsweredAt } = state;
    const isResting = restUntil !== null && restUntil > now;
    const { cdxUrl, source } = this.config.archive;
    return {
      isOn: cdxUrl !== undefined,
      source,
      restingUntil: isResting ? restUntil : null,
      restReason: isResting ? restReason : null,
      failuresInRow,
      lastAskedAt,
      lastAnsweredAt,
      queue,
    };
  }
}

const EVERY_MS = 60_000;
/** Longest that the write of an answer takes. */
const MAX_WRITING_MS = 10_000;

/** Scores names from the web archive, at its pace. A run is one name. */
@Injectable()
export class ArchiveScoreJob implements Kind {
  readonly name = 'archive-score';
  readonly everyMs = EVERY_MS;
  readonly deadlineMs: number;

  constructor(
    private readonly scorer: ArchiveScorer,
    { archive }: Config,
  ) {
    this.deadlineMs = archive.timeoutMs + MAX_WRITING_MS;
  }

  async run(_work: Work, now: Date, signal: AbortSignal): Promise<WorkResult> {
    const step = await this.scorer.scoreNext(now, signal);
    switch (step.did) {
      case 'scored':
      case 'reused':
      case 'failed':
        return { againInMs: 0 };
      case 'waited':
        return { againInMs: step.againInMs };
      case 'nothing':
        return {};
      default:
        return step satisfies never;
    }
  }
}

@Module({
  imports: [DomainsModule],
  providers: [
    ArchiveRateLimiter,
    ArchiveQueue,
    ArchiveScoreRepository,
    ArchiveScorer,
    ArchiveHealthReader,
    { provide: ArchiveClient, inject: [Config], useFactory: createArchiveClient },
  ],
  exports: [ArchiveScorer, ArchiveScoreRepository, ArchiveHealthReader, ArchiveQueue, ArchiveRateLimiter],
})
export class ArchiveModule {}

/** With the archive off no question is sent: ArchiveScorer checks the configuration first. */
export function createArchiveClient({ archive, links }: Config): ArchiveClient {
  return new CdxClient({
    cdxUrl: archive.cdxUrl ?? 'http://archive.invalid/',
    timeoutMs: archive.timeoutMs,
    contactUrl: links.baseUrl,
  });
}
