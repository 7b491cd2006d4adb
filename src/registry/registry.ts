import { Logger } from '@nestjs/common';
import type { DomainName } from '../domains/names/domain-name.js';
import type { Clock } from '../database/clock.js';
import type { Lifecycle, Outcome } from '../domains/lifecycle/lifecycle.js';
import { ApiError } from '../errors/api-error.js';
import type { GuardedLookup } from './guarded-lookup.js';
import type { RegistryCache } from './registry-cache.js';
import type { LookupResult, NoAnswerReason, RegistryAnswer, RegistrySource } from './registry-lookup.js';

/** When to try again if no service said when. */
const RETRY_AFTER_SECONDS = 5;

export interface LookUpOptions {
  /** Asks the registry also where an answer is remembered: for those who act on it at once. */
  readonly afresh?: boolean;
}

/** Finds the answer to reuse, if there is one. */
type Recall = () => Promise<RegistryAnswer | null>;

/** What became of a question that nobody waits for. */
export type BackgroundResult =
  | { readonly answered: true; readonly answer: RegistryAnswer; readonly outcome: Outcome }
  | {
      readonly answered: false;
      /** Of whoever was asked, if anybody was. */
      readonly reason: NoAnswerReason;
      /** When it makes sense to come back, not rounded. */
      readonly retryAfterSeconds: number;
    };

/** Reasons for which nobody was asked: they say nothing of the name. */
export const NOT_ASKED: readonly NoAnswerReason[] = ['paused', 'circuit_open', 'no_turn'];

type Failure = Extract<LookupResult, { answered: false }> & { readonly source: RegistrySource };

/**
 * What is true of a name now, from whoever knows: the table of reserved names, a recent answer, or a registry service. An
 * answer is never guessed: without one, the look-up fails.
 */
export class Registry {
  private readonly logger = new Logger(Registry.name);
  private readonly lookedUp = new Map<string, Promise<RegistryAnswer>>();
  private readonly asked = new Map<string, Promise<RegistryAnswer>>();
  private readonly sources: readonly RegistrySource[];

  /**
   * @param services in the order in which they are asked
   * @param maxWaitMs longest time that one look-up waits for its turns to ask
   */
  constructor(
    private readonly services: readonly GuardedLookup[],
    private readonly cache: RegistryCache,
    private readonly lifecycle: Lifecycle,
    private readonly clock: Clock,
    private readonly maxWaitMs: number,
  ) {
    this.sources = services.map((service) => service.source);
  }

  /**
   * Questions about one name that come while it is being asked share the one answer.
   *
   * @throws {ApiError} registry_unavailable with Retry-After when no registry gave an answer
   */
  async lookUp(domain: DomainName, { afresh = false }: LookUpOptions = {}): Promise<RegistryAnswer> {
    if (domain.reserved) return this.reservedAnswer();
    if (afresh) return this.askAfresh(domain);
    return shared(this.lookedUp, domain, () => this.findOrAsk(domain));
  }

  /**
   * Asks for a job: never waits for a turn, and leaves one for callers. The answer is remembered and observed as that of a
   * caller.
   *
   * @throws when the dataset could not take the answer, which is remembered then
   */
  async askInBackground(domain: DomainName): Promise<BackgroundResult> {
    if (domain.reserved) {
      const answer = await this.reservedAnswer();
      return { answered: true, answer, outcome: await this.observe(domain.domain, answer) };
    }
    const failures: Failure[] = [];
    for (const service of this.services) {
      const result = await service.askInBackground(domain);
      if (result.answered) {
        const answer = await this.answerOf(result.state, service.source);
        await this.attempt('kept', () => this.cache.keep(domain.domain, answer));
        return { answered: true, answer, outcome: await this.observe(domain.domain, answer) };
      }
      failures.push({ ...result, source: service.source });
    }
    const reason = failures.find((failure) => !NOT_ASKED.includes(failure.reason))?.reason;
    return {
      answered: false,
      reason: reason ?? failures[0]?.reason ?? 'unreachable',
      retryAfterSeconds: soonest(failures),
    };
  }

  private async askAfresh(domain: DomainName): Promise<RegistryAnswer> {
    const ask = () => this.askAndRemember(domain, () => Promise.resolve(null));
    const answer = await ask();
    // Somebody else's question about the name was under way, and was answered by what another instance knew.
    return answer.cached ? ask() : answer;
  }

  private async findOrAsk(domain: DomainName): Promise<RegistryAnswer> {
    const recall = () => this.cache.find(domain.domain, this.sources);
    return (await recall()) ?? this.askAndRemember(domain, recall);
  }

  private askAndRemember(domain: DomainName, recall: Recall): Promise<RegistryAnswer> {
    return shared(this.asked, domain, async () => {
      const answer = await this.ask(domain, recall);
      if (!answer.cached) await this.remember(domain.domain, answer);
      return answer;
    });
  }

  private async ask(domain: DomainName, recall: Recall): Promise<RegistryAnswer> {
    const lastTurn = performance.now() + this.maxWaitMs;
    const failures: Failure[] = [];
    for (const service of this.services) {
      const result = await service.ask(domain, Math.max(0, lastTurn - performance.now()), recall);
      if ('cached' in result) return result;
      if (result.answered) {
        return this.answerOf(result.state, service.source);
      }
      failures.push({ ...result, source: service.source });
    }
    throw unavailable(failures);
  }

  /**
   * Tells the cache and the dataset. In this order: an import that commits in between looks into the cache for what the
   * dataset's row, which it is about to bring, cannot have learned.
   */
  private async remember(domain: string, answer: RegistryAnswer): Promise<void> {
    await this.attempt('kept', () => this.cache.keep(domain, answer));
    if (await this.writeBack(domain, answer)) return;
    // An answer that the dataset has not learned is asked for again soon, so that the dataset gets another chance.
    await this.attempt('kept', () => this.cache.keepBriefly(domain, answer));
  }

  /** Tells the dataset what a registry said. @returns whether it is written down now */
  writeBack(domain: string, answer: RegistryAnswer): Promise<boolean> {
    return this.attempt('written back to the dataset', () => this.observe(domain, answer));
  }

  private observe(domain: string, { state, source, checkedAt }: RegistryAnswer): Promise<Outcome> {
    return this.lifecycle.observeAnswer(domain, { state, source, checkedAt, registeredAt: null });
  }

  private async answerOf(state: RegistryAnswer['state'], source: RegistrySource): Promise<RegistryAnswer> {
    return { state, source, checkedAt: await this.clock.now(), cached: false };
  }

  private reservedAnswer(): Promise<RegistryAnswer> {
    return this.answerOf('reserved', 'reserved_names');
  }

  /** An answer is true whether or not it could be written down. */
  private async attempt(what: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.logger.warn(`A registry answer was not ${what}: ${String(error)}`);
      return false;
    }
  }
}

/** The work that is under way for the name, begun if there is none. */
function shared<T>(
  underWay: Map<string, Promise<T>>,
  { domain }: DomainName,
  begin: () => Promise<T>,
): Promise<T> {
  const begun = underWay.get(domain);
  if (begun) return begun;
  const work = begin().finally(() => underWay.delete(domain));
  underWay.set(domain, work);
  return work;
}

/** Any of the services will do, so the soonest of their times counts. */
function soonest(failures: readonly Failure[]): number {
  return Math.min(...failures.map((failure) => failure.retryAfterSeconds ?? RETRY_AFTER_SECONDS));
}

/** The reasons go to the log with the request's id. */
function unavailable(failures: readonly Failure[]): ApiError {
  const seconds = Math.max(1, soonest(failures));
  const reasons = failures.map(({ source, reason, detail }) => `${source}: ${reason} (${detail})`);
  return new ApiError(
    'registry_unavailable',
    `No registry answered, so the state of this name is unknown; please try again in ${seconds} s.`,
    { retryAfterSeconds: seconds, cause: new Error(reasons.join('; ')) },
  );
}
