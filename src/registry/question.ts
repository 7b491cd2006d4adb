import type { TurnAsker } from './pace/turn-line.js';
import type { RegistryAnswer, Result } from './registry-lookup.js';

/** A caller takes a recent answer; one who acts on it at once does not; a job waits for nothing. */
export interface Question {
  readonly kind: 'caller' | 'afresh' | 'job';
  readonly by: TurnAsker;
  readonly maxWaitMs: number;
}

/**
 * Whether somebody else's result will do. A job gives up where a caller waits, and one caller has no turn where another has;
 * who asks afresh takes no answer that was kept.
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
