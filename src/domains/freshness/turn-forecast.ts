import { BACKLOG_SHARES, DROP_HOUR_SHARES, DROP_HOURS_MS, SHARES, SLOW_DROP_SHARES } from './next-turn.js';

const DAY_SECONDS = 86_400;
/** Questions for each first answer: one of fifty is left unanswered, and asked again. */
const QUESTIONS_A_NAME = 1.02;

/** Names of each queue that could be asked about now. */
export interface QueueLengths {
  /** Of the last 48 hours' purges, without an answer. */
  readonly drops: number;
  /** Young offers and the first names shown, whose next question is due. */
  readonly repeat: number;
  readonly retry: number;
  readonly recheck: number;
  /** Older purges, and names without a vouching source. */
  readonly backlog: number;
}

export interface ForecastTerms {
  readonly lengths: QueueLengths;
  /** Turns a second that the queues get. */
  readonly perSecond: number;
  /** Since the newest purge whose names wait. */
  readonly sinceDropSeconds: number;
  readonly dropsPerDay: number;
}

/**
 * When each queue is expected to be empty, in seconds, by the shares of nextTurn. Lent turns are left out except for
 * the day's drops, so the others may end earlier. Null: never, as the drops of each day take all turns.
 */
export function secondsUntilEmpty({
  lengths,
  perSecond,
  sinceDropSeconds,
  dropsPerDay,
}: ForecastTerms): Record<keyof QueueLengths, number | null> {
  const isBacklog = lengths.backlog > 0;
  const drops = secondsOfDrops(lengths.drops, perSecond, sinceDropSeconds, isBacklog);
  const repeatsMeanwhile = DROP_HOUR_SHARES.repeat * perSecond * drops;
  const recheckShare = isBacklog ? BACKLOG_SHARES.recheck : 1 - SHARES.repeat;
  const free = DAY_SECONDS * perSecond - QUESTIONS_A_NAME * dropsPerDay;
  return {
    drops,
    repeat:
      lengths.repeat < repeatsMeanwhile
        ? lengths.repeat / (DROP_HOUR_SHARES.repeat * perSecond)
        : drops + (lengths.repeat - repeatsMeanwhile) / (SHARES.repeat * perSecond),
    retry: lengths.retry / (SHARES.retry * perSecond),
    recheck: lengths.recheck === 0 ? 0 : drops + lengths.recheck / (recheckShare * perSecond),
    backlog: !isBacklog
      ? 0
      : free <= 0
        ? null
        : Math.max(
            (lengths.backlog / (BACKLOG_SHARES.backlog * free)) * DAY_SECONDS,
            drops + lengths.backlog / (BACKLOG_SHARES.backlog * perSecond),
          ),
  };
}

function secondsOfDrops(
  names: number,
  perSecond: number,
  sinceDropSeconds: number,
  isBacklog: boolean,
): number {
  const { repeat, recheck, backlog } = SLOW_DROP_SHARES;
  const fast = ((1 - DROP_HOUR_SHARES.repeat) * perSecond) / QUESTIONS_A_NAME;
  const slow = ((1 - repeat - recheck - (isBacklog ? backlog : 0)) * perSecond) / QUESTIONS_A_NAME;
  const fastSeconds = Math.max(0, DROP_HOURS_MS / 1_000 - sinceDropSeconds);
  const left = names - fast * fastSeconds;
  return left <= 0 ? names / fast : fastSeconds + left / slow;
}
