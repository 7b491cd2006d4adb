import { Injectable } from '@nestjs/common';
import { ArchiveScorer } from './archive-scorer.js';
import { Config } from '../config/config.js';
import type { Kind, Work, WorkResult } from '../work/kind.js';

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
