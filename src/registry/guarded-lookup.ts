import { Logger } from '@nestjs/common';
import {
  circuitBreaker,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  handleWhenResult,
} from 'cockatiel';
import type { Config } from '../config/config.js';
import type { DomainName } from '../domains/names/domain-name.js';
import {
  type LookupResult,
  noAnswer,
  type RegistryAnswer,
  type RegistryLookup,
  type RegistrySource,
} from './registry-lookup.js';
import type { RegistryPace } from './registry-pace.js';

/**
 * A registry service behind its circuit breaker and the installation's pace. A service that fails several times in a row
 * is left alone for a while; then one single question probes it, and its outcome decides for all.
 */
export class GuardedLookup {
  private readonly logger = new Logger(GuardedLookup.name);
  private readonly breaker: CircuitBreakerPolicy;
  private openUntilMs = 0;

  constructor(
    private readonly lookup: RegistryLookup,
    private readonly pace: RegistryPace,
    private readonly config: Config['registry'],
  ) {
    this.breaker = circuitBreaker(handleWhenResult(speaksAgainstService), {
      breaker: new ConsecutiveBreaker(config.breakerFailures),
      halfOpenAfter: config.breakerOpenMs,
    });
    this.breaker.onBreak(() => {
      this.openUntilMs = Date.now() + config.breakerOpenMs;
      this.logger.warn(`${this.source} failed too often and is left alone for ${config.breakerOpenMs} ms`);
    });
    this.breaker.onReset(() => this.logger.log(`${this.source} answers again`));
  }

  get source(): RegistrySource {
    return this.lookup.source;
  }

  /**
   * Asks once, if the service may be asked within `maxWaitMs`.
   *
   * @param recall finds an answer that another instance was given while this question waited for its turn
   * @throws {DatabaseUnavailable}
   */
  async ask(
    domain: DomainName,
    maxWaitMs: number,
    recall: () => Promise<RegistryAnswer | null>,
  ): Promise<LookupResult | RegistryAnswer> {
    const refusal = this.refusal();
    if (refusal) return refusal;
    const turn = await this.pace.takeTurn(this.source, maxWaitMs);
    if (!turn.granted) return noAnswer(turn.reason, 'not asked', turn.retryAfterSeconds);
    const recalled = turn.waited ? await recall() : null;
    if (recalled) return recalled;
    // While this question waited for its turn, another one may have opened the breaker or begun to probe.
    return this.refusal() ?? this.askNow(domain);
  }

  /** Asks once, if there is a turn that no caller misses. @throws {DatabaseUnavailable} */
  async askInBackground(domain: DomainName): Promise<LookupResult> {
    const refusal = this.refusal();
    if (refusal) return refusal;
    const turn = await this.pace.takeSpareTurn(this.source);
    if (!turn.granted) return noAnswer(turn.reason, 'not asked', turn.retryAfterSeconds);
    return this.refusal() ?? this.askNow(domain);
  }

  private async askNow(domain: DomainName): Promise<LookupResult> {
    const result = await this.breaker.execute(() => this.lookup.ask(domain));
    if (result.answered) return result;
    // The name is left out: which names people ask about is nobody's business, not even the log's.
    this.logger.warn(`${this.source} gave no answer: ${result.reason} (${result.detail})`);
    if (result.reason !== 'rate_limited' && result.retryAfterSeconds === undefined) return result;
    return { ...result, retryAfterSeconds: await this.pace.pause(this.source, result.retryAfterSeconds) };
  }

  private refusal(): LookupResult | null {
    const openMs = this.openUntilMs - Date.now();
    if (this.breaker.state === CircuitState.Open && openMs > 0) {
      return noAnswer('circuit_open', 'not asked', Math.ceil(openMs / 1000));
    }
    // Others do not queue behind the probe: all of them would be let go at once, past the pace.
    if (this.breaker.state === CircuitState.HalfOpen) {
      return noAnswer('circuit_open', 'being probed', Math.ceil(this.config.timeoutMs / 1000));
    }
    return null;
  }
}

/** A service that works but does not judge this one name is not to blame. */
function speaksAgainstService(result: unknown): boolean {
  const outcome = result as LookupResult;
  return !outcome.answered && outcome.reason !== 'not_served';
}
