import { Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { Clock, Queryable } from '../db/database.js';
import { aside, carriedThrough } from '../db/scope.js';
import type { ReadDatabase } from '../db/replicas/read-database.js';
import type { Lifecycle, Outcome } from '../domains/lifecycle/lifecycle.js';
import type { DomainName } from '../domains/name/domain-name.js';
import { messageOf } from '../validation/unknown-values.js';
import {
  noAnswer,
  type NoAnswer,
  type NoAnswerReason,
  type RegistryAnswer,
  type RegistrySource,
  type Result,
  RETRY_AFTER_SECONDS,
  retryAfterOf,
  type Said,
  together,
  unavailable,
} from './answer.js';
import type { AnswerLog, NewAnswer } from './answer-log.js';
import type { Canaries } from './canaries.js';
import type { Asked, GuardedLookup } from './guarded-lookup.js';
import { isJob, type JobAsker, type TurnAsker, type TurnHolder } from './fair-queue.js';
import type { RegistryCache } from './registry-cache.js';
import type { RegistryHealth, RegistryHealthRepository } from './registry-health.repository.js';
import type { KeptAnswer } from './registry.repository.js';

export interface LookUpOptions {
  /** Asks the registry even if an answer is cached: for callers that act on it at once. */
  readonly afresh?: boolean;
  /** The holder of the turn; by default the service itself. */
  readonly by?: TurnHolder;
  /** Longest time to wait for the turns, where it is not the configured one. */
  readonly maxWaitMs?: number;
}

const RESERVED = { state: 'reserved' } as const;
/** Longest wait for the turn of a second question about a name: a first one has been spent on it. */
const SECOND_TURN_MS = 60_000;

/** What became of a question: an answer, or why there is none and when to come back. */
export type LookedUp = Result<{ readonly answer: RegistryAnswer }>;

/** Result of a question without a waiting caller. */
export type BackgroundResult =
  | { readonly answered: true; readonly answer: RegistryAnswer; readonly outcome: Outcome }
  | {
      readonly answered: false;
      /** The service's reason, or why it was not asked. */
      readonly reason: NoAnswerReason;
      /** When it makes sense to come back; not rounded, so that no part of the pace is lost by coming back late. */
      readonly retryAfterSeconds: number;
    };

/** An answer, and what the dataset made of it: null when it could not take it, or knew it already. */
interface Learned {
  readonly answer: RegistryAnswer;
  readonly outcome: Outcome | null;
}

interface UnderWay {
  readonly question: Question;
  readonly work: Promise<Result<Learned>>;
}

/**
 * Finds the state of a name: reserved or known answer -> trust -> pace -> breaker -> service -> judged -> kept. An
 * answer is never guessed: without one, the look-up fails.
 */
export class Registry implements OnApplicationBootstrap {
  private readonly logger = new Logger(Registry.name);
  private readonly underWay = new Map<string, UnderWay>();
  readonly sources: readonly RegistrySource[];
  private readonly keptSources: readonly RegistrySource[];

  /**
   * @param services in the order in which they are asked
   * @param maxWaitMs longest time that one look-up waits for its turns to ask
   */
  constructor(
    private readonly services: readonly GuardedLookup[],
    private readonly canaries: Canaries,
    private readonly cache: RegistryCache,
    private readonly lifecycle: Lifecycle,
    private readonly log: AnswerLog,
    private readonly health: RegistryHealthRepository,
    private readonly clock: Clock,
    private readonly maxWaitMs: number,
    private readonly reads: ReadDatabase,
  ) {
    this.sources = services.map((service) => service.lookup.source);
    this.keptSources = [...this.sources, 'registrar'];
  }

  /** The known answer, without asking a registry; null when there is none. @throws {DatabaseUnavailable} */
  async findKnown(domain: DomainName): Promise<RegistryAnswer | null> {
    return (await this.findAllKnown([domain])).get(domain.domain) ?? null;
  }

  /** The same of many names, by name. @throws {DatabaseUnavailable} */
  async findAllKnown(domains: readonly DomainName[]): Promise<Map<string, RegistryAnswer>> {
    const asked = domains.filter(({ reserved }) => !reserved).map(({ domain }) => domain);
    const kept = asked.length > 0 ? await this.cache.find(asked, this.keptSources) : new Map<string, never>();
    const known = new Map<string, RegistryAnswer>();
    for (const domain of domains) {
      const learned = domain.reserved
        ? await this.reserve(domain)
        : await this.learnKept(domain, kept.get(domain.domain));
      const isReleased = learned?.answered && learned.outcome?.hold === 'released';
      if (learned?.answered && !isReleased) known.set(domain.domain, await this.tell(learned));
    }
    return known;
  }

  /**
   * Questions about one name that come while it is being asked share the one answer.
   *
   * @throws {ApiError} registry_unavailable with Retry-After when no registry gave an answer
   */
  async lookUp(domain: DomainName, options?: LookUpOptions): Promise<RegistryAnswer> {
    const result = await this.ask(domain, options);
    if (result.answered) return result.answer;
    throw unavailable(result);
  }

  /** The same for a caller that repeats an unanswered question. @throws {DatabaseUnavailable} */
  async ask(
    domain: DomainName,
    { afresh = false, by, maxWaitMs = this.maxWaitMs }: LookUpOptions = {},
  ): Promise<LookedUp> {
    const result = await this.learn(domain, {
      kind: afresh ? 'afresh' : 'caller',
      by: by ?? 'service',
      maxWaitMs,
    });
    return result.answered ? { answered: true, answer: await this.tell(result) } : result;
  }

  /** Asks for a job: never waits for a turn. @throws {DatabaseUnavailable} */
  async askInBackground(domain: DomainName, by: JobAsker = 'queues'): Promise<BackgroundResult> {
    const result = await this.learn(domain, { kind: 'job', by, maxWaitMs: 0 });
    if (!result.answered)
      return { answered: false, reason: result.reason, retryAfterSeconds: retryAfterOf(result) };
    const { answer, outcome } = result;
    return outcome
      ? { answered: true, answer, outcome }
      : { answered: false, reason: 'not_written', retryAfterSeconds: RETRY_AFTER_SECONDS };
  }

  /** Keeps the word of a registrar: an older answer of the registry, also one that is under way, does not stand against it. */
  async keepWord(
    domain: string,
    said: Pick<RegistryAnswer, 'state' | 'checkedAt' | 'registeredAt'>,
    now: Date,
    transaction: Queryable,
  ): Promise<void> {
    const answer = { ...said, source: 'registrar', message: null, cached: false } as const;
    await this.cache.replace(domain, answer, now, transaction);
  }

  /** How the services are, in the order in which they are asked; for the status. @throws {DatabaseUnavailable} */
  readHealth(): Promise<RegistryHealth[]> {
    return Promise.all(this.services.map((service) => this.health.read(service.lookup)));
  }

  onApplicationBootstrap(): void {
    void this.watchCanaries();
  }

  async watchCanaries(): Promise<void> {
    await Promise.all(this.services.map((service) => this.canaries.watch(service)));
  }

  /**
   * Returns an answer once no instance can give its caller an older one, even if another caller's question brought
   * it.
   */
  private async tell({ answer, outcome }: Learned): Promise<RegistryAnswer> {
    if (outcome?.known) await this.reads.untilReadable();
    else if (answer.cached) await this.reads.untilReadableSince(answer.checkedAt);
    return answer;
  }

  private async learn(domain: DomainName, question: Question): Promise<Result<Learned>> {
    const begun = this.underWay.get(domain.domain);
    // A caller that goes before the other in the line does not wait with it.
    if (!begun || goesBefore(question, begun.question)) return aside(() => this.begin(domain, question));
    const result = await aside(() => begun.work);
    return serves(result, begun.question, question) ? result : this.learn(domain, question);
  }

  private begin(domain: DomainName, question: Question): Promise<Result<Learned>> {
    const work = carriedThrough(() => this.answer(domain, question)).finally(() => {
      if (this.underWay.get(domain.domain)?.work === work) this.underWay.delete(domain.domain);
    });
    this.underWay.set(domain.domain, { question, work });
    return work;
  }

  private async answer(domain: DomainName, question: Question): Promise<Result<Learned>> {
    if (domain.reserved) {
      const reserved = await this.reserve(domain);
      if (!reserved.answered || reserved.outcome?.hold !== 'released') return reserved;
    }
    const known = question.kind === 'caller' ? await this.recall(domain) : null;
    return known ?? this.askServices(domain, question);
  }

  /** The registry is not asked about a name that is reserved by our own data. */
  private async reserve(domain: DomainName): Promise<Result<Learned>> {
    return this.write(domain, answerOf(RESERVED, 'reserved_names', await this.clock.now()));
  }

  /** The answer that is kept, if there is one. */
  private async recall(domain: DomainName): Promise<Result<Learned> | null> {
    const kept = await this.cache.find([domain.domain], this.keptSources);
    return this.learnKept(domain, kept.get(domain.domain));
  }

  /** What the dataset has missed it learns now. */
  private async learnKept(domain: DomainName, kept?: KeptAnswer): Promise<Result<Learned> | null> {
    if (!kept) return null;
    const { isMissed, ...answer } = kept;
    return isMissed ? this.write(domain, answer) : { answered: true, answer, outcome: null };
  }

  private async askServices(domain: DomainName, { kind, by, maxWaitMs }: Question): Promise<Result<Learned>> {
    const lastTurn = performance.now() + maxWaitMs;
    const failures: NoAnswer[] = [];
    for (const service of this.services) {
      const distrust = await this.canaries.distrust(service, kind !== 'job');
      const turn = distrust ?? (await service.takeTurn(by, Math.max(0, lastTurn - performance.now())));
      // Another instance may have been answered while this one waited.
      const known = turn.answered && turn.waited && kind === 'caller' ? await this.recall(domain) : null;
      if (known) return known;
      const said: Asked = turn.answered ? await service.ask(domain, turn) : turn;
      const { entry } = said;
      const doubt = said.answered
        ? await this.doubt(domain, service, said, { by, lastTurn: kind === 'caller' ? lastTurn : null })
        : said;
      if (said.answered && turn.answered && doubt === null)
        return this.keep(domain, answerOf(said, service.lookup.source, turn.at), turn.at, entry);
      if (entry) this.log.add(entry);
      if (!doubt) continue;
      failures.push({ ...doubt, detail: `${service.lookup.source}: ${doubt.reason} (${doubt.detail})` });
      // The other service was asked already, and a name is not available by its word alone.
      if (said.answered) break;
    }
    return together(failures);
  }

  /**
   * Why an answer is not believed yet; null when it is. Where there are two services, both must call a name
   * available if much rests on it, and the second one never makes a name available by itself.
   */
  private async doubt(
    domain: DomainName,
    service: GuardedLookup,
    said: Said,
    { by, lastTurn }: { readonly by: TurnAsker; readonly lastTurn: number | null },
  ): Promise<NoAnswer | null> {
    const [first, second] = this.services;
    if (said.state !== 'available' || !second) return null;
    if (service !== first) return noAnswer('contradicted', 'available by the second service alone');
    if (!(await this.lifecycle.needsTwoServices(domain.domain, await this.clock.now()))) return null;
    const distrust = await this.canaries.distrust(second, true);
    const maxMs = lastTurn === null ? SECOND_TURN_MS : Math.max(0, lastTurn - performance.now());
    const turn = distrust ?? (await second.takeTurn(isJob(by) ? 'service' : by, maxMs));
    const other: Asked = turn.answered ? await second.ask(domain, turn) : turn;
    if (other.entry) this.log.add(other.entry);
    if (other.answered)
      return other.state === 'available'
        ? null
        : noAnswer('contradicted', `${other.state} by the second service`);
    // A service that does not judge this name is no second one.
    if (other.reason === 'not_served') return null;
    // About this name alone: the first service answers the next names.
    return noAnswer(
      'contradicted',
      `no second answer: ${other.reason} (${other.detail})`,
      other.retryAfterSeconds,
    );
  }

  /**
   * Tells the cache and the dataset. In this order: an import that commits in between looks into the cache for what the
   * dataset's row, which it is about to bring, cannot have learned.
   */
  private async keep(
    domain: DomainName,
    answer: RegistryAnswer,
    now: Date,
    entry?: NewAnswer,
  ): Promise<Result<Learned>> {
    await this.cache
      .keep(domain.domain, answer, now)
      .catch((error: unknown) => this.logger.warn(`A registry answer was not kept: ${messageOf(error)}`));
    return this.write(domain, answer, entry);
  }

  /** The one place where an answer reaches the dataset. It is true whether or not it could be written down. */
  private async write(
    { domain }: DomainName,
    answer: RegistryAnswer,
    entry?: NewAnswer,
  ): Promise<Result<Learned>> {
    const outcome = await this.observe(domain, answer, entry).catch((error: unknown) => {
      this.logger.warn(`A registry answer was not written back to the dataset: ${messageOf(error)}`);
      if (entry) this.log.add(entry);
      return null;
    });
    // The lists of this process may be older than the lists of the database, which decide.
    const told = outcome?.hold === 'held' ? answerOf(RESERVED, 'reserved_names', answer.checkedAt) : answer;
    return { answered: true, answer: told, outcome };
  }

  /** With an answer that was given just now, the evidence is written in the transaction of its verdict. */
  private async observe(domain: string, answer: RegistryAnswer, entry?: NewAnswer): Promise<Outcome> {
    if (!entry) return this.lifecycle.observeAnswer(domain, answer);
    const textId = await this.log.prepare(entry);
    return this.lifecycle.observeAnswer(domain, answer, (transaction) =>
      this.log.write(entry, textId, transaction),
    );
  }
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

/** A caller takes a recent answer; one who acts on it at once does not; a job waits for nothing. */
export interface Question {
  readonly kind: 'caller' | 'afresh' | 'job';
  readonly by: TurnAsker;
  readonly maxWaitMs: number;
}

/**
 * Whether another caller's result will do. A job gives up where a caller would wait, and callers differ in their
 * turns; a caller that asks afresh takes no cached answer.
 */
export function serves(
  result: Result<{ readonly answer: RegistryAnswer }>,
  asked: Question,
  { kind, by }: Question,
): boolean {
  if (result.answered) return kind === 'caller' || !result.answer.cached;
  return (
    kind === 'job' ||
    (asked.kind !== 'job' && (result.reason !== 'no_turn' || nameOf(asked.by) === nameOf(by)))
  );
}

/** Whether its turn comes before the other's, so that it does not wait with it. */
export function goesBefore(question: Question, other: Question): boolean {
  return isDemo(other) && !isDemo(question);
}

function nameOf(by: TurnAsker): string {
  return typeof by === 'string' ? by : by.id;
}

function isDemo({ by }: Question): boolean {
  return typeof by !== 'string' && !by.tier.keyRequired;
}
