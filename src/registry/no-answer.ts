import { ApiError } from '../errors/api-error.js';
import { noAnswer, type NoAnswer, type NoAnswerReason } from './registry-lookup.js';

/** Reasons for which nobody was asked: they say nothing of the name. */
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

/** The reasons go to the log with the request's id. */
export function unavailable(failure: NoAnswer): ApiError {
  const seconds = Math.max(1, Math.ceil(retryAfterOf(failure)));
  return new ApiError(
    'registry_unavailable',
    `No registry answered, so the state of this name is unknown; please try again in ${seconds} s.`,
    { retryAfterSeconds: seconds, cause: new Error(failure.detail) },
  );
}
