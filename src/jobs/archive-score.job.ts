import { Injectable } from '@nestjs/common';
import { ArchiveScorer } from '../archive/archive-scorer.js';
import { Config } from '../config/config.js';
import type { Job, BatchResult } from './job.js';

const EVERY_MS = 60_000;
/** What writing an answer down may take once it is here. */
const MAX_WRITING_MS = 10_000;

/** Scores names from the web archive, at its pace. A batch is one name. */
@Injectable()
export class ArchiveScoreJob implements Job {
  readonly name = 'archive-score';
  readonly everyMs = EVERY_MS;
  readonly maxBatchMs: number;

  constructor(
    private readonly scorer: ArchiveScorer,
    { archive }: Config,
  ) {
    this.maxBatchMs = archive.timeoutMs + MAX_WRITING_MS;
  }

  async run(now: Date, signal: AbortSignal): Promise<BatchResult> {
    const step = await this.scorer.scoreNext(now, signal);
    switch (step.did) {
      case 'scored':
      case 'reused':
      case 'failed':
        return { more: true };
      case 'waited':
        return { more: false, againInMs: step.againInMs };
      case 'nothing':
        return { more: false };
      default:
        return step satisfies never;
    }
  }
}
