const DAY_MS = 86_400_000;

/** Where the threshold stands before anything was asked: right for about a million names at half a question a second. */
export const FIRST_THRESHOLD = 0.03;
/** Beyond these a mistake elsewhere would take days to work off. */
export const MIN_THRESHOLD = 1e-9;
export const MAX_THRESHOLD = 1e3;

/**
 * How late the queue may run: long enough that the hour after a purge, when all turns are for the new drops, is no reason to
 * ask less.
 */
export const LATENESS_AIMED_AT_MS = 2 * 3_600_000;
/** How far the threshold moves in a day at most, as a power of e; falling slower, as who is due sooner is found by a sweep. */
const MAX_RISE_A_DAY = 4;
const MAX_FALL_A_DAY = 1;

/**
 * Moves the threshold to where the questions that it lets through are as many as there are turns: up while names wait longer
 * than they may, down while turns are left over because nobody is due.
 *
 * @param latenessMs how long the name that has waited longest is due already; negative: how long until the next is due
 * @param elapsedMs since the last adjustment; more than a day counts as a day
 */
export function adjustThreshold(threshold: number, latenessMs: number, elapsedMs: number): number {
  const excess = Math.max(-1, Math.min(1, (latenessMs - LATENESS_AIMED_AT_MS) / LATENESS_AIMED_AT_MS));
  const days = Math.max(0, Math.min(elapsedMs, DAY_MS)) / DAY_MS;
  const step = excess * (excess > 0 ? MAX_RISE_A_DAY : MAX_FALL_A_DAY) * days;
  return Math.max(MIN_THRESHOLD, Math.min(MAX_THRESHOLD, threshold * Math.exp(step)));
}

/** Smallest change, as a share of the time between two questions, for which a stored moment is written anew. */
const WORTHWHILE_CHANGE = 0.1;

/**
 * Whether a moment that was computed under another threshold, or other rates, is far enough off to be corrected.
 *
 * @param checkedAt all three in one unit, such as milliseconds since 1970
 */
export function isOutdated(askAt: number, freshAskAt: number, checkedAt: number): boolean {
  return Math.abs(freshAskAt - askAt) > WORTHWHILE_CHANGE * Math.max(0, askAt - checkedAt);
}
