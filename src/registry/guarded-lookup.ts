import { Logger } from '@nestjs/common';
import { channel } from 'node:diagnostics_channel';
import type { Config } from '../config/config.js';
import type { DomainName } from '../domains/name/domain-name.js';
import type { RegistryState } from '../domains/schema/states.js';
import { messageOf } from '../validation/unknown-values.js';
import { traced } from '../db/traced.js';
import {
  lifetimeOf,
  noAnswer,
  type NoAnswerReason,
  type RegistryLookup,
  type RegistrySource,
  type Result,
  type Said,
} from './answer.js';
import type { NewAnswer } from './answer-log.js';
import { PARSERS } from './rdap-answer.js';
import type { RegistryHealthRepository } from './registry-health.repository.js';
import type { RegistryPace, Turn } from './registry-pace.js';
import type { TurnAsker } from './fair-queue.js';

/** A question that was sent to a registry, without the name: which names people check is private. */
export interface RegistryQuestion {
  readonly source: RegistrySource;
  readonly outcome: RegistryState | NoAnswerReason;
  readonly seconds: number;
}

const NOTE_EVERY_MS = 1_000;

export const QUESTION_CHANNEL = 'bowerbird:registry.asked';
const questions = channel(QUESTION_CHANNEL);

/** What became of a question, with the answer to be kept, where there was one. */
export type Asked = Result<Said> & { readonly entry?: NewAnswer };

/**
 * A registry service behind the installation's pace and its circuit breaker. A service that fails several times in a
 * row on one instance is left alone by all for a while; then one single question probes it, and its outcome decides
 * for all. The breaker is a moment in PostgreSQL (`registry_health.open_until`), read with the turn, so no instance
 * can miss it.
 */
export class GuardedLookup {
  private readonly logger = new Logger(GuardedLookup.name);
  private failuresInARow = 0;
  /** When an answer was noted last; no failure came since. */
  private notedAt = -Infinity;

  constructor(
    readonly lookup: RegistryLookup,
    private readonly pace: RegistryPace,
    private readonly health: RegistryHealthRepository,
    private readonly config: Pick<Config, 'registry' | 'lists'>,
  ) {}

  /** A turn to ask, if the service may be asked and the turn comes in time. @throws {DatabaseUnavailable} */
  async takeTurn(by: TurnAsker, maxMs: number): Promise<Result<Turn>> {
    return this.pace.takeTurn(this.lookup, by, maxMs);
  }

  /**
   * Asks once. @param turn the one that was taken for it
   * @returns with the answer to be kept, where there was one @throws {DatabaseUnavailable}
   */
  async ask(domain: DomainName, turn: Turn): Promise<Asked> {
    const began = performance.now();
    const result = await this.askOnce(domain, turn);
    const { evidence } = result;
    if (!evidence) return result;
    const entry = {
      domain: domain.domain,
      source: this.lookup.source,
      askedAt: turn.at,
      answeredAt: new Date(turn.at.getTime() + performance.now() - began),
      verdict: result.answered ? result.state : result.reason,
      parser: PARSERS[this.config.registry.parser].version,
      ageSeconds: result.ageMs ? Math.round(result.ageMs / 1000) : null,
      evidence,
    };
    return { ...result, entry };
  }

  private async askOnce(domain: DomainName, { at, probes }: Turn): Promise<Result<Said>> {
    const { timeoutMs } = this.config.registry;
    // Others do not queue behind the probe: all of them would be let go at once, past the pace.
    if (probes && !(await this.health.beginProbe(this.lookup, timeoutMs)))
      return noAnswer('circuit_open', 'being probed', timeoutMs / 1000);
    const began = performance.now();
    const { source } = this.lookup;
    const result = this.judgeAge(await traced('registry', { source }, () => this.lookup.ask(domain, at)), at);
    publishQuestion({
      source,
      outcome: result.answered ? result.state : result.reason,
      seconds: (performance.now() - began) / 1_000,
    });
    await this.judge(result, probes).catch((error: unknown) =>
      // An answer is one whether or not the others could be told.
      this.logger.warn(`The health of ${this.lookup.source} was not saved: ${messageOf(error)}`),
    );
    if (result.answered) return result;
    // The name is left out: the names that people ask about are private and stay out of the log.
    this.logger.warn(`${this.lookup.source} gave no answer: ${result.reason} (${result.detail})`);
    if (result.reason !== 'rate_limited' && result.retryAfterSeconds === undefined) return result;
    return {
      ...result,
      retryAfterSeconds: await this.pace.pause(this.lookup.source, result.retryAfterSeconds),
    };
  }

  /** What a cache in between has kept for longer than we would is no answer to a question of now. */
  private judgeAge(result: Result<Said>, askedAt: Date): Result<Said> {
    if (!result.answered || !result.ageMs) return result;
    const checkedAt = new Date(askedAt.getTime() - result.ageMs);
    if (lifetimeOf({ state: result.state, checkedAt }, askedAt, this.config) > 0) return result;
    const { ageMs, evidence } = result;
    const detail = `an answer of ${Math.round(ageMs / 1000)} s ago`;
    return { ...noAnswer('too_old', detail), ageMs, ...(evidence && { evidence }) };
  }

  private async judge(result: Result<Said>, wasProbe: boolean): Promise<void> {
    // A service that works but does not judge this one name is not to blame.
    if (!result.answered && result.reason !== 'not_served') return this.countFailure(wasProbe);
    this.failuresInARow = 0;
    if (wasProbe) this.logger.log(`${this.lookup.source} answers again`);
    if (result.answered) await this.noteAnswer(wasProbe);
    else if (wasProbe) await this.health.close(this.lookup);
  }

  /** Once a second is enough, but for the answer that closes the breaker. */
  private async noteAnswer(wasProbe: boolean): Promise<void> {
    const now = performance.now();
    if (!wasProbe && now - this.notedAt < NOTE_EVERY_MS) return;
    await this.health.noteAnswer(this.lookup);
    this.notedAt = now;
  }

  private async countFailure(wasProbe: boolean): Promise<void> {
    this.notedAt = -Infinity;
    this.failuresInARow += 1;
    if (!wasProbe && this.failuresInARow < this.config.registry.breakerFailures) return;
    this.failuresInARow = 0;
    const { breakerOpenMs } = this.config.registry;
    this.logger.warn(`${this.lookup.source} failed too often and is left alone for ${breakerOpenMs} ms`);
    await this.health.noteBreak(this.lookup, breakerOpenMs);
  }
}

/** Without a subscriber it costs one comparison. */
function publishQuestion(question: RegistryQuestion): void {
  if (questions.hasSubscribers) questions.publish(question);
}
