import { Injectable } from '@nestjs/common';
import { Freshness } from '../domains/freshness/freshness.js';
import { Lifecycle } from '../domains/lifecycle/lifecycle.js';
import { FIRST_OFFER_BACK_OFF_MS } from '../domains/freshness/next-ask.js';
import { QuestionPlanner } from '../domains/freshness/question-planner.js';
import { countTurns, QUESTIONS } from '../domains/freshness/turn-speed.js';
import type { Question } from '../domains/lifecycle/question-queue.repository.js';
import { judgeDomainName } from '../domains/name/domain-name.js';
import type { Kind, Work, WorkResult } from '../work/kind.js';
import { NOT_ASKED, type NoAnswerReason } from './answer.js';
import { type BackgroundResult, Registry } from './registry.js';
import { QuestionFailureRepository } from './question-failure.repository.js';
import { BoundedMap } from '../validation/caches.js';

/** How often the queue is looked at when it was empty. */
const EVERY_MS = 5_000;
/** Questions in a run. */
const MAX_QUESTIONS = 20;
/** Each question may wait for the registry's time limit, at two services. */
const DEADLINE_MS = 180_000;
/** The wait after the first question that was left without an answer, of names that are not on offer; it doubles. */
const FIRST_BACK_OFF_MS = 5 * 60_000;
/** At most the time in which the questions missed in an outage of the registry should be caught up. */
const MAX_BACK_OFF_MS = 3_600_000;
/**
 * A name that is to be asked again so soon after its answer is not moved by answers; it must not hold up the others.
 */
const TOO_SOON_MS = 60_000;
/** Names that are remembered for that. */
const MAX_REMEMBERED = 100;

/** Failures of one name's answer, which say nothing about the next name. */
const ABOUT_THE_NAME: readonly NoAnswerReason[] = [
  ...(['not_understood', 'too_large', 'too_old', 'contradicted', 'not_served'] as const),
];
/** Reasons for which a run waits for its next turn, or for the registry's leave. */
const AWAITS_A_TURN: readonly NoAnswerReason[] = ['no_turn', 'paused', 'rate_limited'];
/** What says nothing of the name that was asked about. */
const ABOUT_THE_SERVICE: readonly NoAnswerReason[] = [...NOT_ASKED, 'rate_limited', 'not_written'];

/**
 * Asks the registry about the names that wait for it, for as long as there are turns that no caller misses. A name
 * whose question is left without an answer waits longer each time, so that none of them holds up the others.
 */
@Injectable()
export class QuestionJob implements Kind {
  readonly name = QUESTIONS;
  readonly everyMs = EVERY_MS;
  readonly deadlineMs = DEADLINE_MS;
  private readonly answeredAtMs = new BoundedMap<string, number>(MAX_REMEMBERED);

  constructor(
    private readonly planner: QuestionPlanner,
    private readonly registry: Registry,
    private readonly lifecycle: Lifecycle,
    private readonly freshness: Freshness,
    private readonly failures: QuestionFailureRepository,
  ) {}

  /** The cursor has when a name was last answered, or none waited, and the turns of an hour. */
  async run({ cursor }: Work, now: Date, signal: AbortSignal): Promise<WorkResult> {
    let movedAt = cursor?.moved_at ?? now.toISOString();
    let turns = 0;
    const done = (isBusy: boolean): Pick<WorkResult, 'cursor'> => ({
      cursor: { moved_at: movedAt, ...countTurns(cursor, { at: now, asked: turns, isBusy }) },
    });
    for (let asked = 0; asked < MAX_QUESTIONS && !signal.aborted; asked += 1) {
      const question = await this.planner.next(now);
      if (!question) {
        movedAt = now.toISOString();
        return done(false);
      }
      const result = await this.ask(question, now);
      if (result.answered || !NOT_ASKED.includes(result.reason)) {
        this.planner.spend();
        turns += 1;
      }
      if (result.answered) {
        movedAt = now.toISOString();
        continue;
      }
      const { reason, retryAfterSeconds } = result;
      if (!ABOUT_THE_SERVICE.includes(reason)) await this.postpone(question, now);
      if (!ABOUT_THE_NAME.includes(reason))
        return { againInMs: Math.ceil(retryAfterSeconds * 1000), ...done(AWAITS_A_TURN.includes(reason)) };
    }
    return { againInMs: 0, ...done(true) };
  }

  private async ask({ domain, reason }: Question, now: Date): Promise<BackgroundResult> {
    const judged = judgeDomainName(domain);
    if (!judged.ok || this.isTooSoon(domain, now))
      return { answered: false, reason: 'not_served', retryAfterSeconds: 0 };
    const result = await this.registry.askInBackground(judged.domain);
    if (!result.answered) return result;
    this.answeredAtMs.set(domain, now.getTime());
    await this.freshness.learn(result.outcome, result.answer.checkedAt);
    // Names that wait for their first answer have none that failed before it.
    if (reason === 'retry' || reason === 'recheck') await this.failures.forget(domain);
    return result;
  }

  private async postpone({ domain, reason }: Question, now: Date): Promise<void> {
    const failures = await this.failures.count(domain, now);
    const firstMs = reason === 'recheck' ? FIRST_OFFER_BACK_OFF_MS : FIRST_BACK_OFF_MS;
    const backOffMs = Math.min(MAX_BACK_OFF_MS, firstMs * 2 ** Math.min(failures - 1, 20));
    await this.lifecycle.postpone(domain, new Date(now.getTime() + backOffMs));
  }

  private isTooSoon(domain: string, now: Date): boolean {
    const answeredAtMs = this.answeredAtMs.get(domain);
    return answeredAtMs !== undefined && now.getTime() - answeredAtMs < TOO_SOON_MS;
  }
}
