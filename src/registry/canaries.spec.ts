import { judgeCanary } from './canaries.js';
import { noAnswer, type NoAnswerReason, type RegistryState } from './answer.js';

describe('a service that is asked about a name that is surely registered', () => {
  it.each<[RegistryState, string]>([
    ['registered', 'ok'],
    ['expired_hold', 'ok'],
    ['pending_purge', 'ok'],
    ['pending_delete', 'ok'],
    ['available', 'failed'],
    ['reserved', 'failed'],
    ['declined', 'failed'],
  ])('and says %s: %s', (state, canary) => {
    expect(judgeCanary({ answered: true, state })).toBe(canary);
  });

  it.each<[NoAnswerReason, string]>([
    // No registry answers like that about a name that it holds.
    ['not_understood', 'failed'],
    ['too_large', 'failed'],
    ['rate_limited', 'unknown'],
    ['refused', 'unknown'],
    ['failing', 'unknown'],
    ['timeout', 'unknown'],
    ['unreachable', 'unknown'],
    ['not_served', 'unknown'],
    ['circuit_open', 'unknown'],
    ['no_turn', 'unknown'],
  ])('and gives no answer, being %s: %s', (reason, canary) => {
    expect(judgeCanary(noAnswer(reason, 'x'))).toBe(canary);
  });
});
