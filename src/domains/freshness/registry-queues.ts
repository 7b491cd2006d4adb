import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { JobStateRepository } from '../../work/job-state.repository.js';
import {
  LENGTH_PRECISIONS,
  MAX_COUNTED,
  type MeasuredQueues,
  type QueueLength,
  QueueLengthRepository,
} from './queue-length.repository.js';
import { QuestionPlanner } from './question-planner.js';
import { type QueueLengths, secondsUntilEmpty } from './turn-forecast.js';
import { maxSilenceSeconds, QUESTIONS, turnsPerSecond } from './turn-speed.js';

/** `confirmation` is the purged names among drops and backlog, `unconfirmed` the rest of the backlog. */
export type RegistryQueue = keyof QueueLengths | 'confirmation' | 'unconfirmed';

export interface QueueState extends QueueLength {
  /** When it is expected to be empty; null when none waits, or unknown, as in an outage. */
  readonly endsAt: Date | null;
}

export type QueueStates = Readonly<Record<RegistryQueue, QueueState>>;

/** How long each queue of the registry is, and when it is expected to end. */
@Injectable()
export class RegistryQueues {
  constructor(
    private readonly config: Config,
    private readonly lengths: QueueLengthRepository,
    private readonly planner: QuestionPlanner,
    private readonly states: JobStateRepository,
  ) {}

  /** @param limit more are not counted in one queue; their number is then estimated */
  async read(now: Date, limit = MAX_COUNTED): Promise<QueueStates> {
    const measured = await this.lengths.measure(now, limit);
    const { drops, older, unconfirmed, retry, recheck } = measured.lengths;
    const repeat: QueueLength = {
      waiting: await this.planner.countRepeats(now),
      precision: 'exact',
      oldest: null,
    };
    const backlog = both(older, unconfirmed);
    const ends = await this.readEnds(now, measured, { drops, repeat, retry, recheck, backlog });
    const purged = both(drops, older);
    return {
      confirmation: { ...purged, endsAt: older.waiting > 0 ? ends.backlog : ends.drops },
      retry: { ...retry, endsAt: ends.retry },
      recheck: { ...recheck, endsAt: ends.recheck },
      unconfirmed: { ...unconfirmed, endsAt: unconfirmed.waiting > 0 ? ends.backlog : null },
      drops: { ...drops, endsAt: ends.drops },
      repeat: { ...repeat, endsAt: ends.repeat },
      backlog: { ...backlog, endsAt: ends.backlog },
    };
  }

  private async readEnds(
    now: Date,
    { newestPurge, dropsPerDay, isStopped }: MeasuredQueues,
    queues: Readonly<Record<keyof QueueLengths, QueueLength>>,
  ): Promise<Record<keyof QueueLengths, Date | null>> {
    const perSecond = isStopped ? null : await this.readSpeed(now);
    const lengths = mapped(queues, ({ waiting }) => waiting);
    const sinceDropSeconds = newestPurge ? (now.getTime() - newestPurge.getTime()) / 1_000 : 0;
    const seconds =
      perSecond === null ? null : secondsUntilEmpty({ lengths, perSecond, sinceDropSeconds, dropsPerDay });
    return mapped(queues, ({ waiting }, queue) => {
      const left = seconds?.[queue] ?? null;
      return left === null || waiting === 0 ? null : new Date(now.getTime() + left * 1_000);
    });
  }

  /** Turns a second; null in an outage, and while the job is paused. */
  private async readSpeed(now: Date): Promise<number | null> {
    const { ratePerSecond } = this.config.registry;
    const job = (await this.states.list()).find(({ name }) => name === QUESTIONS);
    const cursor = job?.cursor ?? null;
    if (job?.pausedAt) return null;
    const movedAt = cursor?.moved_at;
    const silence = typeof movedAt === 'string' ? (now.getTime() - Date.parse(movedAt)) / 1_000 : 0;
    return silence > maxSilenceSeconds(ratePerSecond) ? null : turnsPerSecond(cursor, now, ratePerSecond);
  }
}

function mapped<T, U>(
  queues: Readonly<Record<keyof QueueLengths, T>>,
  map: (value: T, queue: keyof QueueLengths) => U,
): Record<keyof QueueLengths, U> {
  return {
    drops: map(queues.drops, 'drops'),
    repeat: map(queues.repeat, 'repeat'),
    retry: map(queues.retry, 'retry'),
    recheck: map(queues.recheck, 'recheck'),
    backlog: map(queues.backlog, 'backlog'),
  };
}

function both(one: QueueLength, other: QueueLength): QueueLength {
  const precision = LENGTH_PRECISIONS.findLast((least) => [one.precision, other.precision].includes(least));
  const oldest = [one.oldest, other.oldest].filter((at) => at !== null);
  return {
    waiting: one.waiting + other.waiting,
    precision: precision ?? 'exact',
    oldest: oldest.length === 0 ? null : new Date(Math.min(...oldest.map(Number))),
  };
}

export interface Unanswered {
  readonly names: number;
  readonly precision: QueueLength['precision'];
  /** When the last of them is expected to be answered; null: unknown, or there is none. */
  readonly endsAt: Date | null;
  /** Whether older names are among them, which wait beside each day's drops. */
  readonly isBacklog: boolean;
}

/** Names that await the registry before they can be offered. */
export function unansweredOf({ drops, retry, backlog }: QueueStates): Unanswered {
  const { waiting, precision } = both(both(drops, retry), backlog);
  const ends = [drops, retry, backlog].filter((queue) => queue.waiting > 0).map(({ endsAt }) => endsAt);
  return {
    names: waiting,
    precision,
    endsAt:
      ends.length === 0 || ends.includes(null) ? null : new Date(Math.max(...ends.map((end) => Number(end)))),
    isBacklog: backlog.waiting > 0,
  };
}
