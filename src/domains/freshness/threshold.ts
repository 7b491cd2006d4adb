const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/**
 * The least worth of a question (see urgency) for which one is asked, in two parts: the steady one finds out over
 * days how many questions there are turns for, and the lateness of the queue is added to it for the hours in which
 * it lasts.
 */
export interface Threshold {
  readonly steady: number;
  readonly current: number;
}

/**
 * Where the threshold stands before anything was asked: right for about a million names at half a question a
 * second.
 */
export const FIRST_THRESHOLD: Threshold = { steady: 0.03, current: 0.03 };
/**
 * Where there are so few names that turns are left over, they are left over: below this a registry would be asked
 * about an ordinary new name every two hours, which is no courtesy.
 */
export const MIN_THRESHOLD = 1e-3;
/** Beyond it a mistake elsewhere would take weeks to work off. */
export const MAX_THRESHOLD = 1e3;

/** How late the queue may run. */
export const LATENESS_AIMED_AT_MS = HOUR_MS;
/** Beyond it, or when no name is due for so long, the threshold moves no faster. */
const MAX_DEVIATION_MS = DAY_MS;
// As powers of e. A threshold that is lowered lets names through only as they are met, some days later, so the
// steady part must not run ahead; together with the other the two come to rest without swinging.
const RISE_PER_DAY_LATE = 2;
const STEADY_RISE_PER_DAY_LATE_A_DAY = 0.3;

/**
 * Moves the threshold to where the questions that it lets through are as many as there are turns: up while names
 * wait longer than they may, down while turns are left over because no name is due.
 *
 * @param latenessMs how long the name that has waited longest is due already; negative: how long until the next is due
 * @param elapsedMs since the last adjustment; more than a day counts as a day
 */
export function adjustThreshold({ steady }: Threshold, latenessMs: number, elapsedMs: number): Threshold {
  const late = clamp(latenessMs - LATENESS_AIMED_AT_MS, MAX_DEVIATION_MS) / DAY_MS;
  const days = Math.max(0, Math.min(elapsedMs, DAY_MS)) / DAY_MS;
  const moved = withinLimits(steady * Math.exp(STEADY_RISE_PER_DAY_LATE_A_DAY * late * days));
  return { steady: moved, current: withinLimits(moved * Math.exp(RISE_PER_DAY_LATE * late)) };
}

function clamp(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value));
}

function withinLimits(threshold: number): number {
  return Math.max(MIN_THRESHOLD, Math.min(MAX_THRESHOLD, threshold));
}

/** Smallest change that is stored, as a share of the time between two questions. */
const WORTHWHILE_CHANGE = 0.1;

/**
 * Whether a moment that was computed under another threshold, or other rates, is far enough off to be corrected.
 *
 * @param checkedAt all three in one unit, such as milliseconds since 1970
 */
export function isOutdated(askAt: number, freshAskAt: number, checkedAt: number): boolean {
  return Math.abs(freshAskAt - askAt) > WORTHWHILE_CHANGE * Math.max(0, askAt - checkedAt);
}

/** How often the threshold follows the queue, and moments are looked over. */
export const UPKEEP_EVERY_MS = 60_000;
/** How often the rates are computed again from the answers. */
export const RATES_EVERY_MS = 3_600_000;
/** Most due names, earliest first, that each upkeep checks again. */
export const MAX_DUE_LOOKED_AT = 1_000;
/** Other names that each upkeep looks over, one after the other: a million in three and a half days. */
export const SWEPT_AT_ONCE = 200;
