import type { RegistryState } from '../domains/lifecycle/registry-state.js';
export { REGISTRY_STATES, type RegistryState } from '../domains/lifecycle/registry-state.js';
import type { DomainName } from '../domains/names/domain-name.js';

/** Who said so. */
export const REGISTRY_SOURCES = ['rdap', 'sandbox', 'availability_service', 'reserved_names'] as const;
export type RegistrySource = (typeof REGISTRY_SOURCES)[number];

export interface RegistryAnswer {
  readonly state: RegistryState;
  readonly source: RegistrySource;
  /** When the registry said so, also for an answer that is reused. */
  readonly checkedAt: Date;
  /** Whether this is an earlier answer, reused. */
  readonly cached: boolean;
}

/** Why a question was left without an answer. The state of the name is then unknown, which is never a state. */
export type NoAnswerReason =
  /** The registry answered, but not in a way that can be believed. */
  | 'not_understood'
  | 'too_large'
  | 'rate_limited'
  /** 401 or 403: the registry does not talk to us. */
  | 'refused'
  /** A 5xx of the registry. */
  | 'failing'
  | 'timeout'
  | 'unreachable'
  /** The registry works, but does not judge this name. */
  | 'not_served'
  /** Not asked: the registry said when to come back, and it is not time yet. */
  | 'paused'
  /** Not asked: the circuit breaker is open. */
  | 'circuit_open'
  /** Not asked: the installation's pace has no turn within the time that a caller may wait. */
  | 'no_turn';

/** One question's outcome. `detail` is for the log: it never repeats what a body said, for that may name a person. */
export type LookupResult =
  | { readonly answered: true; readonly state: RegistryState }
  | {
      readonly answered: false;
      readonly reason: NoAnswerReason;
      readonly detail: string;
      readonly retryAfterSeconds?: number;
    };

/** One registry service. Asks exactly once and never throws: pace, breaker and cache are built around it. */
export abstract class RegistryLookup {
  abstract readonly source: RegistrySource;

  abstract ask(domain: DomainName): Promise<LookupResult>;
}

/** Shorthand for an outcome without an answer. */
export function noAnswer(reason: NoAnswerReason, detail: string, retryAfterSeconds?: number): LookupResult {
  return { answered: false, reason, detail, retryAfterSeconds };
}
