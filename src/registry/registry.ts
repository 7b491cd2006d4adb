import { Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Clock } from '../database/clock.js';
import type { Lifecycle, Outcome } from '../domains/lifecycle/lifecycle.js';
import type { DomainName } from '../domains/names/domain-name.js';
import type { ReadDatabase } from '../replicas/read-database.js';
import { messageOf } from '../validation/thrown.js';
import { type Canaries, CANARY_WATCH_MS } from './canaries.js';
import type { GuardedLookup } from './guarded-lookup.js';
import { retryAfterOf, RETRY_AFTER_SECONDS, together, unavailable } from './no-answer.js';
import type { RegistryCache } from './registry-cache.js';
import type { RegistryHealth, RegistryHealthRepository } from './registry-health.repository.js';
import type {
  NoAnswer,
  NoAnswerReason,
  RegistryAnswer,
  RegistrySource,
  Result,
  Said,
} from './registry-lookup.js';

export interface LookUpOptions {
  /** Asks the registry also where an answer is remembered: for those who act on it at once. */
  readonly afresh?: boolean;
}

/** What became of a question that nobody waits for. */
export type BackgroundResult =
  | { readonly answered: true; readonly answer: RegistryAnswer; readonly outcome: Outcome }
  | {
      readonly answered: false;
      /** Of whoever was asked, if anybody was. */
      readonly reason: NoAnswerReason;
      /** When it makes sense to come back; not rounded, so that no part of the pace is lost by coming back late. */
      readonly retryAfterSeconds: number;
    };

/** Who asks: a caller, who takes a recent answer; one who acts on it at once; a job, which waits for nothing. */
type Asker = 'caller' | 'afresh' | 'job';

/** An answer, and what the dataset made of it: null when it could not take it, or knew it already. */
interface Learned {
  readonly answer: RegistryAnswer;
  readonly outcome: Outcome | null;
}

interface UnderWay {
  readonly asker: Asker;
  readonly work: Promise<Result<Learned>>;
}

/**
 * What is true of a name now: reserved or known answer -> trust -> pace -> breaker -> service -> judged -> kept. An answer is
 * never guessed: without one, the look-up fails.
 */
export class Registry implements OnApplicationBootstrap {
  private readonly logger = new Logger(Registry.name);
  private readonly underWay = new Map<string, UnderWay>();
  private readonly sources: readonly RegistrySource[];

  /**
   * @param services in the order in which they are asked
   * @param maxWaitMs longest time that one look-up waits for its turns to ask
   */
  constructor(
    private readonly services: readonly GuardedLookup[],
    private readonly canaries: Canaries,
    private readonly cache: RegistryCache,
    private readonly lifecycle: Lifecycle,
    private readonly health: RegistryHealthRepository,
    private readonly clock: Clock,
    private readonly maxWaitMs: number,
    private readonly reads: ReadDatabase,
  ) {
    this.sources = services.map((service) => service.lookup.source);
  }

  /** What is known without asking a registry now, if anything is. @throws {DatabaseUnavailable} */
  async findKnown(domain: DomainName): Promise<RegistryAnswer | null> {
    const known = domain.reserved ? await this.answer(domain, 'caller') : await this.recall(domain);
    return known?.answered ? this.tell(known) : null;
  }

  /**
   * Questions about one name that come while it is being asked share the one answer.
   *
   * @throws {ApiError} registry_unavailable with Retry-After when no registry gave an answer
   */
  async lookUp(domain: DomainName, { afresh = false }: LookUpOptions = {}): Promise<RegistryAnswer> {
    const result = await this.learn(domain, afresh ? 'afresh' : 'caller');
    if (result.answered) return this.tell(result);
    throw unavailable(result);
  }

  /** Asks for a job: never waits for a turn, and leaves one for callers. @throws {DatabaseUnavailable} */
  async askInBackground(domain: DomainName): Promise<BackgroundResult> {
    const result = await this.learn(domain, 'job');
    if (!result.answered)
      return { answered: false, reason: result.reason, retryAfterSeconds: retryAfterOf(result) };
    const { answer, outcome } = result;
    return outcome
      ? { answered: true, answer, outcome }
      : { answered: false, reason: 'not_written', retryAfterSeconds: RETRY_AFTER_SECONDS };
  }

  /** How the services are, in the order in which they are asked; for the status. @throws {DatabaseUnavailable} */
  readHealth(): Promise<RegistryHealth[]> {
    return Promise.all(this.services.map((service) => this.health.read(service.lookup)));
  }

  onApplicationBootstrap(): void {
    void this.watchCanaries();
  }

  @Interval(CANARY_WATCH_MS)
  async watchCanaries(): Promise<void> {
    await Promise.all(this.services.map((service) => this.canaries.watch(service)));
  }

  /** Hands an answer over when whoever gets it reads nothing older on any instance, also when another caller's question brought it. */
  private async tell({ answer, outcome }: Learned): Promise<RegistryAnswer> {
    if (outcome?.known) await this.reads.untilReadable();
    else if (answer.cached) await this.reads.untilReadableSince(answer.checkedAt);
    return answer;
  }

  private async learn(domain: DomainName, asker: Asker): Promise<Result<Learned>> {
    const begun = this.underWay.get(domain.domain);
    if (!begun) return this.begin(domain, asker);
    const result = await begun.work;
    return serves(result, begun.asker, asker) ? result : this.learn(domain, asker);
  }

  private begin(domain: DomainName, asker: Asker): Promise<Result<Learned>> {
    const work = this.answer(domain, asker).finally(() => this.underWay.delete(domain.domain));
    this.underWay.set(domain.domain, { asker, work });
    return work;
  }

  private async answer(domain: DomainName, asker: Asker): Promise<Result<Learned>> {
    if (domain.reserved) {
      const checkedAt = await this.clock.now();
      return this.write(domain, answerOf({ state: 'reserved' }, 'reserved_names', checkedAt));
    }
    const known = asker === 'caller' ? await this.recall(domain) : null;
    return known ?? this.ask(domain, asker);
  }

  /** The answer that is kept, if there is one. What the dataset has missed it learns now. */
  private async recall(domain: DomainName): Promise<Result<Learned> | null> {
    const kept = await this.cache.find(domain.domain, this.sources);
    if (!kept) return null;
    const { isMissed, ...answer } = kept;
    return isMissed ? this.write(domain, answer) : { answered: true, answer, outcome: null };
  }

  private async ask(domain: DomainName, asker: Asker): Promise<Result<Learned>> {
    const lastTurn = performance.now() + this.maxWaitMs;
    const failures: NoAnswer[] = [];
    for (const service of this.services) {
      const wait = asker === 'job' ? 'spare' : Math.max(0, lastTurn - performance.now());
      const distrust = await this.canaries.distrust(service, asker !== 'job');
      const turn = distrust ?? (await service.takeTurn(wait));
      // Another instance may have been answered while this one waited.
      const known = turn.answered && turn.waited && asker === 'caller' ? await this.recall(domain) : null;
      if (known) return known;
      const said = turn.answered ? await service.ask(domain, turn) : turn;
      if (said.answered && turn.answered)
        return this.keep(domain, answerOf(said, service.lookup.source, turn.at), turn.at);
      if (!said.answered)
        failures.push({ ...said, detail: `${service.lookup.source}: ${said.reason} (${said.detail})` });
    }
    return together(failures);
  }

  /**
   * Tells the cache and the dataset. In this order: an import that commits in between looks into the cache for what the
   * dataset's row, which it is about to bring, cannot have learned.
   */
  private async keep(domain: DomainName, answer: RegistryAnswer, now: Date): Promise<Result<Learned>> {
    await this.cache
      .keep(domain.domain, answer, now)
      .catch((error: unknown) => this.logger.warn(`A registry answer was not kept: ${messageOf(error)}`));
    return this.write(domain, answer);
  }

  /** The one place where an answer reaches the dataset. It is true whether or not it could be written down. */
  private async write({ domain }: DomainName, answer: RegistryAnswer): Promise<Result<Learned>> {
    const outcome = await this.lifecycle.observeAnswer(domain, answer).catch((error: unknown) => {
      this.logger.warn(`A registry answer was not written back to the dataset: ${messageOf(error)}`);
      return null;
    });
    return { answered: true, answer, outcome };
  }
}

/** Whether somebody else's result will do. A job gives up where a caller waits; who asks afresh takes no answer that was kept. */
function serves(result: Result<Learned>, askedBy: Asker, asker: Asker): boolean {
  if (!result.answered) return asker === 'job' || askedBy !== 'job';
  return asker === 'caller' || !result.answer.cached;
}

function answerOf(said: Said, source: RegistrySource, askedAt: Date): RegistryAnswer {
  return {
    state: said.state,
    source,
    checkedAt: new Date(askedAt.getTime() - (said.ageMs ?? 0)),
    registeredAt: said.registeredAt ?? null,
    message: said.message ?? null,
    cached: false,
  };
}
