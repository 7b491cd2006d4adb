import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { type Question, QuestionQueue } from '../lifecycle/question-queue.repository.js';
import { isEarly } from './early-rates.js';
import { Freshness } from './freshness.js';
import { MAX_DUE_LOOKED_AT, questionWorth, MAINTENANCE_EVERY_MS } from './next-ask.js';
import { type Credits, NO_CREDITS, nextQuestion, type NextQuestion } from './next-turn.js';
import { type PlannedOffer, type QueueHeads, TurnQueueRepository } from './turn-queue.repository.js';
import { bandOf } from './rate-table.js';
import { capOf, isCapped, longestCap, questionLimits, repeatWorth, TOP_RANKS } from './repeats.js';

const DAY_MS = 86_400_000;
/** Questions of each plan that are kept: more than a minute has turns for. */
const MIN_KEPT = 30;
const KEPT_A_TURN_PER_SECOND = 90;

interface PlannedQuestion {
  readonly domain: string;
  readonly worth: number;
  readonly isOverdue: boolean;
}

interface Plan {
  readonly madeAtMs: number;
  readonly repeats: PlannedQuestion[];
  readonly rechecks: PlannedQuestion[];
}

const NO_PLAN: Plan = { madeAtMs: -Infinity, repeats: [], rechecks: [] };

/** A question that was chosen, and what the queues are owed once it has had its turn. */
interface Chosen {
  readonly question: Question;
  readonly credits: Credits;
}

/**
 * Which name is asked about next. Of offers, the questions that are worth most are planned once a minute; all else is
 * read for each turn. A question is chosen before its turn is there, so it is chosen again until {@link spend}. Credits
 * and plan are of this process: one process asks at a time, and the next begins again.
 */
@Injectable()
export class QuestionPlanner {
  private credits: Credits = NO_CREDITS;
  private plan = NO_PLAN;
  private chosen: Chosen | null = null;
  private readonly kept: number;

  constructor(
    private readonly config: Config,
    private readonly former: QuestionQueue,
    private readonly queues: TurnQueueRepository,
    private readonly freshness: Freshness,
  ) {
    this.kept = Math.max(MIN_KEPT, Math.ceil(KEPT_A_TURN_PER_SECOND * config.registry.ratePerSecond));
  }

  /**
   * Null when no question is worth a turn, and while the guard has stopped the writing of answers: no answer would
   * change the next question.
   */
  async next(now: Date): Promise<Question | null> {
    if (this.config.registry.policy === 'former') return this.former.next(now);
    const heads = await this.queues.readHeads(now);
    if (!heads) return null;
    const isFresh = await this.renew(now);
    this.chosen = this.choose(now, heads);
    if (!this.chosen && !isFresh) {
      // Names may have come on offer since the plan was made.
      await this.make(now);
      this.chosen = this.choose(now, heads);
    }
    return this.chosen?.question ?? null;
  }

  /** The question that was chosen last has had its turn, or is worth none. */
  spend(): void {
    if (!this.chosen) return;
    const { question, credits } = this.chosen;
    this.chosen = null;
    this.credits = credits;
    remove(this.plan.repeats, question.domain);
    remove(this.plan.rechecks, question.domain);
  }

  /** Repeats that are due, in whichever process asks. */
  async countRepeats(now: Date): Promise<number> {
    if (this.config.registry.policy === 'former') return 0;
    await this.freshness.prepare();
    const offers = await this.queues.listPlannable(now, TOP_RANKS);
    return this.weighRepeats(offers, now).filter(
      ({ worth, isOverdue }) => isOverdue || worth >= this.freshness.threshold,
    ).length;
  }

  /** @returns whether a plan was made */
  private async renew(now: Date): Promise<boolean> {
    if (Math.abs(now.getTime() - this.plan.madeAtMs) < MAINTENANCE_EVERY_MS) return false;
    await this.make(now);
    return true;
  }

  private choose(now: Date, heads: QueueHeads): Chosen | null {
    const [repeat, recheck] = [this.plan.repeats[0], this.plan.rechecks[0]];
    const { turn, credits } = nextQuestion(
      now.getTime(),
      {
        retryAt: heads.retry?.at.getTime() ?? null,
        newestPurgeAt: heads.newest?.at.getTime() ?? null,
        backlog: heads.backlog !== null,
        repeat: repeat?.worth ?? null,
        isOverdue: repeat?.isOverdue ?? false,
        recheck: recheck?.worth ?? null,
      },
      { ...questionLimits(this.freshness.threshold), credits: this.credits },
    );
    const question = this.questionOf(turn, heads);
    return question && { question, credits };
  }

  private questionOf(turn: NextQuestion['turn'], heads: QueueHeads): Question | null {
    switch (turn) {
      case 'retry':
        return heads.retry && { domain: heads.retry.domain, reason: 'retry' };
      case 'fresh':
        return heads.newest && { domain: heads.newest.domain, reason: 'confirmation' };
      case 'backlog':
        return heads.backlog;
      case 'repeat':
        return recheckOf(this.plan.repeats[0]?.domain);
      case 'recheck':
        return recheckOf(this.plan.rechecks[0]?.domain);
      default:
        return recheckOf(heads.stale);
    }
  }

  private async make(now: Date): Promise<void> {
    await this.freshness.prepare();
    const offers = await this.queues.listPlannable(now, TOP_RANKS);
    const due = await this.queues.listFirstRechecks(now, MAX_DUE_LOOKED_AT);
    this.plan = {
      madeAtMs: now.getTime(),
      repeats: this.best(this.weighRepeats(offers, now)),
      rechecks: this.best(due.map((name) => this.weighRecheck(name, now))),
    };
  }

  private weighRepeats(offers: readonly PlannedOffer[], now: Date): PlannedQuestion[] {
    const views = offers.map((offer) => {
      const droppedAt = offer.droppedAt ?? offer.checkedAt;
      return {
        domain: offer.domain,
        suffix: offer.suffix,
        band: bandOf(offer.wayback),
        age: (now.getTime() - droppedAt.getTime()) / DAY_MS,
        unasked: (now.getTime() - offer.checkedAt.getTime()) / DAY_MS,
        isTop: offer.isTop,
      };
    });
    const capped = views.filter(isCapped).length;
    const longest = longestCap(capped, this.config.registry.ratePerSecond);
    return views
      .filter(({ age, isTop }) => isTop || isEarly(age))
      .map((view) => ({
        domain: view.domain,
        worth: repeatWorth(view, this.freshness.early, this.freshness.rates),
        isOverdue: isCapped(view) && view.unasked > capOf(view.age, longest),
      }));
  }

  private weighRecheck(name: PlannedOffer & { readonly nextCheckAt: Date }, now: Date): PlannedQuestion {
    const droppedAt = name.droppedAt ?? name.checkedAt;
    const age = (name.checkedAt.getTime() - droppedAt.getTime()) / DAY_MS;
    const unasked = (now.getTime() - name.checkedAt.getTime()) / DAY_MS;
    const worth = questionWorth(this.freshness.rates, bandOf(name.wayback), age, unasked);
    // Some are due for another reason: their offer is about to end, or a question was left unanswered.
    const isDue = name.nextCheckAt <= now;
    return {
      domain: name.domain,
      worth: isDue ? Math.max(worth, this.freshness.threshold) : worth,
      isOverdue: false,
    };
  }

  private best(questions: readonly PlannedQuestion[]): PlannedQuestion[] {
    const { leastWorth } = questionLimits(this.freshness.threshold);
    return questions
      .filter(({ worth, isOverdue }) => isOverdue || worth >= leastWorth)
      .sort((a, b) => Number(b.isOverdue) - Number(a.isOverdue) || b.worth - a.worth)
      .slice(0, this.kept);
  }
}

function recheckOf(domain: string | null = null): Question | null {
  return domain === null ? null : { domain, reason: 'recheck' };
}

function remove(from: PlannedQuestion[], domain: string): void {
  const place = from.findIndex((planned) => planned.domain === domain);
  if (place !== -1) from.splice(place, 1);
}
