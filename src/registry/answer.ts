import type { Config, PurgeTimes } from '../config/config.js';
import type { DomainName } from '../domains/name/domain-name.js';
import { type RegistrabilityDto, toRegistrabilityDto } from '../domains/name/registrability.js';
import type { RegistryState } from '../domains/schema/states.js';
import type { Evidence } from './evidence.js';
import { ApiError } from '../errors/api-error.js';

export { REGISTRY_STATES, type RegistryState } from '../domains/schema/states.js';

/** Who said so. */
export const REGISTRY_SOURCES = [
  'rdap',
  'sandbox',
  'availability_service',
  'reserved_names',
  'registrar',
] as const;
export type RegistrySource = (typeof REGISTRY_SOURCES)[number];

export interface RegistryAnswer {
  readonly state: RegistryState;
  readonly source: RegistrySource;
  /**
   * When the registry said so, also for an answer that is reused: by the dataset's clock, and no later than it was
   * asked.
   */
  readonly checkedAt: Date;
  /** When the name was registered, where the registry tells; null where it does not. */
  readonly registeredAt: Date | null;
  /** The registry's words, shortened, when it reserves or declines the name; null otherwise. */
  readonly message: string | null;
  /** Whether this is an earlier answer, reused. */
  readonly cached: boolean;
}

/** Why a question was left without an answer. The state of the name is then unknown, which is never a state. */
export type NoAnswerReason =
  /** The registry answered, but not in a way that can be believed. */
  | 'not_understood'
  | 'too_large'
  /** A cache in between has kept the answer for longer than we would. */
  | 'too_old'
  /** One of the registry's services calls the name available, and the other one does not. */
  | 'contradicted'
  | 'rate_limited'
  /** 401 or 403: the registry does not talk to us. */
  | 'refused'
  /** A 5xx of the registry. */
  | 'failing'
  | 'timeout'
  | 'unreachable'
  /** The registry works, but does not judge this name. */
  | 'not_served'
  /** Not asked: it does not find names that are surely registered, or this has not been checked yet. */
  | 'not_trusted'
  /** Not asked: the registry said when to come back, and it is not time yet. */
  | 'paused'
  /** Not asked: the circuit breaker is open. */
  | 'circuit_open'
  /**
   * Not asked: the installation's pace has no turn within the time that a caller may wait, or none to spare for a
   * job.
   */
  | 'no_turn'
  /** Answered, but the dataset could not take the answer: for a job that is as good as none. */
  | 'not_written';

/** What one response of a registry says of the name. */
export interface Said {
  readonly state: RegistryState;
  readonly registeredAt?: Date | null;
  readonly message?: string;
  /** How long before the question the registry said so, where a cache stands in between. */
  readonly ageMs?: number;
  readonly evidence?: Evidence;
}

/** `detail` is for the log: it never repeats what a body said, for that may name a person. */
export interface NoAnswer {
  readonly answered: false;
  readonly reason: NoAnswerReason;
  readonly detail: string;
  /** Of an answer that a cache in between had kept, how long before the question it was given. */
  readonly ageMs?: number;
  /** When it makes sense to come back; not rounded. */
  readonly retryAfterSeconds?: number;
  /** Present where the service answered something else than was asked. */
  readonly evidence?: Evidence;
}

/** One question's outcome, at every step between the caller and the wire. */
export type Result<Answer> = ({ readonly answered: true } & Answer) | NoAnswer;

/** One registry service. Asks exactly once and never throws: pace, breaker and cache are built around it. */
export abstract class RegistryLookup {
  abstract readonly source: RegistrySource;
  /** The service in use; another address is another service, whose answers are checked before they are trusted. */
  abstract get address(): string;

  /** @param now when it is asked, by the database's clock, which the times that a registry sends are compared with */
  abstract ask(domain: DomainName, now: Date): Promise<Result<Said>>;
}

/** Which service: another address is another one. */
export type Service = Pick<RegistryLookup, 'source' | 'address'>;

/** Shorthand for an outcome without an answer. */
export function noAnswer(reason: NoAnswerReason, detail: string, retryAfterSeconds?: number): NoAnswer {
  return { answered: false, reason, detail, retryAfterSeconds };
}

/** Reasons for which no service was asked: they say nothing about the name. */
export const NOT_ASKED: readonly NoAnswerReason[] = ['not_trusted', 'paused', 'circuit_open', 'no_turn'];

/** When to try again if no service said when. */
export const RETRY_AFTER_SECONDS = 5;

/** Any of the services will do, so the soonest of their times counts. */
export function together(failures: readonly NoAnswer[]): NoAnswer {
  const reason =
    failures.find((failure) => !NOT_ASKED.includes(failure.reason))?.reason ?? failures[0]?.reason;
  const details = failures.map(({ detail }) => detail).join('; ');
  return noAnswer(reason ?? 'unreachable', details, Math.min(...failures.map(retryAfterOf)));
}

export function retryAfterOf({ retryAfterSeconds = RETRY_AFTER_SECONDS }: NoAnswer): number {
  return retryAfterSeconds;
}

/** The reasons go to the log with the request's id. @param more added to the message */
export function unavailable(failure: NoAnswer, more = ''): ApiError {
  const seconds = Math.max(1, Math.ceil(retryAfterOf(failure)));
  return new ApiError(
    'registry_unavailable',
    `No registry answered, so the state of this name is unknown; please try again in ${seconds} s.${more}`,
    { retryAfterSeconds: seconds, cause: new Error(failure.detail) },
  );
}

const DAY_MS = 86_400_000;
const MAX_PENDING_SECONDS = 60;

/**
 * For how many seconds from `now` an answer may be reused. A registration lasts; a free name can be gone the next
 * minute, and a pending one is free at its purge. What a cache in between has kept it for is over already.
 */
export function lifetimeOf(
  { state, checkedAt }: Pick<RegistryAnswer, 'state' | 'checkedAt'>,
  now: Date,
  { registry: { cacheAvailableSeconds, cacheRegisteredSeconds }, lists }: Pick<Config, 'registry' | 'lists'>,
): number {
  const age = Math.max(0, (now.getTime() - checkedAt.getTime()) / 1000);
  switch (state) {
    case 'registered':
    case 'expired_hold':
      return cacheRegisteredSeconds - age;
    case 'pending_purge':
    case 'pending_delete':
      return Math.min(
        Math.min(cacheRegisteredSeconds, MAX_PENDING_SECONDS) - age,
        (nextPurge(checkedAt, lists.purgeTimes) - now.getTime()) / 1000,
      );
    case 'available':
    case 'reserved':
    case 'declined':
      return cacheAvailableSeconds - age;
    default:
      return state satisfies never;
  }
}

/** Names on their way out are gone within minutes of the purges of a day. */
function nextPurge(after: Date, times: PurgeTimes): number {
  const [day] = after.toISOString().split('T');
  const today = Object.values(times).map((time) => Date.parse(`${day}T${time}Z`));
  const runs = today.flatMap((run) => [run, run + DAY_MS]);
  return Math.min(...runs.filter((run) => run > after.getTime()));
}

/** A registry that keeps a name back has the word, also where our data know nothing of it. */
export function answeredRegistrability(name: DomainName, { state }: RegistryAnswer): RegistrabilityDto {
  const judged = toRegistrabilityDto(name, state === 'available');
  return state === 'reserved' ? { ...judged, reason: judged.reason ?? 'reserved' } : judged;
}
