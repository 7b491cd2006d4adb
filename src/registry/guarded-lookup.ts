import { Logger } from '@nestjs/common';
import {
  circuitBreaker,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  handleWhenResult,
  type IBackoff,
} from 'cockatiel';
import type { Config } from '../config/config.js';
import type { DomainName } from '../domains/names/domain-name.js';
import { messageOf } from '../validation/thrown.js';
import type { RegistryHealthRepository } from './registry-health.repository.js';
import { noAnswer, type NoAnswer, type RegistryLookup, type Result, type Said } from './registry-lookup.js';
import type { RegistryPace, Turn, Wait } from './registry-pace.js';

/**
 * A registry service behind the installation's pace and its circuit breaker. A service that fails several times in a row
 * is left alone for a while; then one single question probes it, and its outcome decides for all.
 */
export class GuardedLookup {
  private readonly logger = new Logger(GuardedLookup.name);
  private readonly breaker: CircuitBreakerPolicy;
  private openUntilMs = 0;

  constructor(
    readonly lookup: RegistryLookup,
    private readonly pace: RegistryPace,
    private readonly health: RegistryHealthRepository,
    private readonly config: Config['registry'],
  ) {
    this.breaker = circuitBreaker(handleWhenResult(speaksAgainstService), {
      breaker: new ConsecutiveBreaker(config.breakerFailures),
      halfOpenAfter: { next: () => new Rest(config.breakerOpenMs) },
    });
    this.breaker.onBreak(() => {
      this.openUntilMs = performance.now() + config.breakerOpenMs;
      this.logger.warn(`${lookup.source} failed too often and is left alone for ${config.breakerOpenMs} ms`);
    });
    this.breaker.onReset(() => this.logger.log(`${lookup.source} answers again`));
  }

  /** A turn to ask, if the service may be asked and the turn comes in time. @throws {DatabaseUnavailable} */
  async takeTurn(wait: Wait): Promise<Result<Turn>> {
    return this.refusal() ?? this.pace.takeTurn(this.lookup.source, wait);
  }

  /** Asks once. @param turn the one that was taken for it @throws {DatabaseUnavailable} */
  async ask(domain: DomainName, { at }: Turn): Promise<Result<Said>> {
    // While this question waited for its turn, another one may have opened the breaker or begun to probe.
    const refusal = this.refusal();
    if (refusal) return refusal;
    const openUntilMs = this.openUntilMs;
    const result = await this.breaker.execute(() => this.lookup.ask(domain, at));
    if (openUntilMs !== this.openUntilMs)
      await this.note(this.health.noteBreak(this.lookup, this.config.breakerOpenMs));
    if (result.answered) {
      await this.note(this.health.noteAnswer(this.lookup));
      return result;
    }
    // The name is left out: which names people ask about is nobody's business, not even the log's.
    this.logger.warn(`${this.lookup.source} gave no answer: ${result.reason} (${result.detail})`);
    if (result.reason !== 'rate_limited' && result.retryAfterSeconds === undefined) return result;
    return {
      ...result,
      retryAfterSeconds: await this.pace.pause(this.lookup.source, result.retryAfterSeconds),
    };
  }

  /** An answer is one whether or not the others could be told. */
  private async note(noting: Promise<void>): Promise<void> {
    await noting.catch((error: unknown) =>
      this.logger.warn(`How ${this.lookup.source} is was not noted: ${messageOf(error)}`),
    );
  }

  private refusal(): NoAnswer | null {
    const openMs = this.openUntilMs - performance.now();
    if (this.breaker.state === CircuitState.Open && openMs > 0) {
      return noAnswer('circuit_open', 'not asked', openMs / 1000);
    }
    // Others do not queue behind the probe: all of them would be let go at once, past the pace.
    if (this.breaker.state === CircuitState.HalfOpen) {
      return noAnswer('circuit_open', 'being probed', this.config.timeoutMs / 1000);
    }
    return null;
  }
}

/** How long the breaker stays open. It reckons by the machine's clock, which may be set back or ahead; this one only goes forward. */
class Rest implements IBackoff<unknown> {
  private readonly untilMs: number;

  constructor(private readonly ms: number) {
    this.untilMs = performance.now() + ms;
  }

  get duration(): number {
    return performance.now() < this.untilMs ? Infinity : -Infinity;
  }

  next(): Rest {
    return new Rest(this.ms);
  }
}

/** A service that works but does not judge this one name is not to blame. */
function speaksAgainstService(result: unknown): boolean {
  const outcome = result as Result<Said>;
  return !outcome.answered && outcome.reason !== 'not_served';
}
