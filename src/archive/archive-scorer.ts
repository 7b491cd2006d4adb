import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Lifecycle, type ObservedScore } from '../domains/lifecycle/lifecycle.js';
import { ArchiveQueue } from './archive-queue.repository.js';
import { ArchiveScoreRepository, type KeptScore } from './archive-score.repository.js';
import {
  type ArchiveAnswer,
  ArchiveClient,
  type ArchiveFailure,
  restAfter,
  retryAfter,
} from './archive-client.js';
import { ArchiveRateLimiter } from './archive-rate-limiter.repository.js';
import { FORMULA_VERSION, scoreCaptures } from './archive-score.js';
import type { Captures } from './cdx-answer.js';

interface Answered {
  readonly answered: true;
}

/** What the run did, and whether more names may be due now. */
export type ScoringStep =
  | { readonly did: 'scored' | 'reused' | 'failed'; readonly domain: string }
  | { readonly did: 'nothing' }
  | { readonly did: 'waited'; readonly againInMs: number };

/** The past of a dropped name hardly changes: a score up to this age is reused when the name drops again. */
const MAX_REUSE_MS = 180 * 86_400_000;

/** Scores names from the archive, one question at a time. Every answer and every failure is an observation. */
@Injectable()
export class ArchiveScorer {
  private readonly logger = new Logger('Archive');

  constructor(
    private readonly client: ArchiveClient,
    private readonly turns: ArchiveRateLimiter,
    private readonly queue: ArchiveQueue,
    private readonly scores: ArchiveScoreRepository,
    private readonly lifecycle: Lifecycle,
    private readonly config: Config,
  ) {}

  /**
   * Scores the name that is next, if one waits and the archive may be asked now. Killed at any moment, it is done
   * again: a name leaves the queue with the last thing that is written.
   *
   * @throws the signal's reason when it is aborted; nothing is held against name or archive then
   */
  async scoreNext(now: Date, signal: AbortSignal): Promise<ScoringStep> {
    if (this.config.archive.cdxUrl === undefined) return { did: 'nothing' };
    const domain = await this.queue.next(now);
    if (domain === null) return { did: 'nothing' };
    const kept = await this.scores.find(domain);
    if (kept && this.isReusable(kept, now)) {
      await this.tell(domain, kept);
      return { did: 'reused', domain };
    }
    const turn = await this.turns.take(now);
    if (!turn.granted) return { did: 'waited', againInMs: turn.againInMs };
    const answer = await this.client.ask(domain, now, signal);
    signal.throwIfAborted();
    await this.observe(domain, answer, now);
    return { did: answer.answered ? 'scored' : 'failed', domain };
  }

  /** Writes down what the archive said of a name that the dataset has. */
  async observe(domain: string, answer: ArchiveAnswer, now: Date): Promise<void> {
    await this.observeArchive(answer, now);
    if (answer.answered) await this.observeCaptures(domain, answer, now);
    else await this.observeFailure(domain, answer, now);
  }

  /** Writes down only how the archive does: what it said of a name that the dataset does not have. */
  async observeArchive(answer: Answered | ArchiveFailure, now: Date): Promise<void> {
    if (answer.answered || answer.reason === 'excluded') await this.turns.noteAnswer(now);
    else await this.holdAgainst(answer, now);
  }

  private async observeCaptures(domain: string, { captures }: Captures, now: Date): Promise<void> {
    const score: KeptScore = {
      ...scoreCaptures(captures),
      computedAt: now,
      source: this.config.archive.source,
    };
    await this.scores.save(domain, score);
    await this.tell(domain, score);
  }

  private async tell(domain: string, score: KeptScore): Promise<void> {
    await this.lifecycle.observeScore(domain, observedFrom(score));
    await this.scores.endRetry(domain);
  }

  private async observeFailure(domain: string, { reason, detail }: ArchiveFailure, now: Date): Promise<void> {
    const failures = (await this.scores.countFailures(domain)) + 1;
    const nextCheckAt = new Date(now.getTime() + retryAfter(reason, failures));
    await this.scores.saveFailure(domain, failures, `${reason} (${detail})`, nextCheckAt);
    await this.lifecycle.observeScore(domain, FAILED);
  }

  private async holdAgainst(failure: ArchiveFailure, now: Date): Promise<void> {
    const said = `${failure.reason} (${failure.detail})`;
    const restMs = restAfter(failure, await this.turns.noteFailure());
    if (restMs > 0) await this.turns.rest(now, restMs, said);
    this.logger.warn(
      `The archive gave no answer: ${said}${restMs > 0 ? `; it is left alone for ${Math.round(restMs / 1000)} s` : ''}`,
    );
  }

  private isReusable({ version, source, computedAt }: KeptScore, now: Date): boolean {
    const ageMs = now.getTime() - computedAt.getTime();
    return version === FORMULA_VERSION && source === this.config.archive.source && ageMs <= MAX_REUSE_MS;
  }
}

const FAILED: ObservedScore = {
  status: 'error',
  wayback: null,
  firstCapture: null,
  lastCapture: null,
  captures: null,
};

function observedFrom({ wayback, firstCapture, lastCapture, captures }: KeptScore): ObservedScore {
  return { status: wayback > 0 ? 'ok' : 'none', wayback, firstCapture, lastCapture, captures };
}
