import type { Canary } from './registry-health.repository.js';
import type { NoAnswerReason, Result, Said } from './registry-lookup.js';

/** Answers that no registry gives to a name that it holds; others only show that it cannot be asked at the moment. */
const WRONG: readonly NoAnswerReason[] = ['not_understood', 'too_large'];

/** What an answer about a name that is surely registered says of the service that gave it. */
export function judgeCanary(said: Result<Said>): Canary {
  if (!said.answered) return WRONG.includes(said.reason) ? 'failed' : 'unknown';
  switch (said.state) {
    case 'registered':
    case 'expired_hold':
    case 'pending_purge':
    case 'pending_delete':
      return 'ok';
    case 'available':
    case 'reserved':
    case 'declined':
      return 'failed';
    default:
      return said.state satisfies never;
  }
}
