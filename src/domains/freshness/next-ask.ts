import type { OfferedName } from '../lifecycle/lifecycle.js';
import { SCORE_BANDS } from '../schema/filters/score-bands.js';
import { ageBucketOf, bandOf, cellOf, type RateTable } from './rate-table.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * What it costs that a name is not offered for a day though it is free, where a day on which one is offered though
 * it is taken costs 1. It misleads no reader, so it is little; without it, half of the names of the lowest band
 * were hidden in the simulation, for want of a question every four months.
 */
const COST_OF_HIDING = 0.001;
/** The shortest time between two questions about a name: an hour. */
const MIN_DAYS_BETWEEN = 1 / 24;
export const MAX_DAYS_BETWEEN = 1_000;
/** The question comes so much before the offer ends, for the queue may run late. */
const SHARE_OF_OFFER = 0.95;

/**
 * The moment at which another question about the name is worth one of the installation's few turns. A name whose
 * drop time is unknown is treated as new, so it is asked about soonest.
 *
 * @param threshold the current one
 * @param offerMaxAgeDays after which a name that was not asked about is no longer offered; Infinity: never
 */
export function nextCheckAt(
  name: OfferedName,
  rates: RateTable,
  threshold: number,
  offerMaxAgeDays = Infinity,
): Date {
  const age = ageInDays(name, name.checkedAt);
  const days = daysToNextQuestion(rates, bandOf(name.wayback), age, threshold, offerMaxAgeDays);
  return new Date(name.checkedAt.getTime() + Math.round(days * DAY_MS));
}

/**
 * The same in days, from the last answer on. At a rate of λ a day, a name is taken by day t with a chance of about λt
 * and is then shown for t/2 days as if it were free, so a question is worth w λ t² / 2, w being how often the name is
 * shown (Olston and Pandey, Recrawl scheduling based on information longevity, WWW 2008).
 *
 * @param ageDays of the name at that answer, since its drop
 */
export function daysToNextQuestion(
  rates: RateTable,
  band: number,
  ageDays: number,
  threshold: number,
  offerMaxAgeDays: number,
): number {
  const worthwhileAfter = (age: number) =>
    Math.sqrt((2 * threshold) / (showWeight(band) * (rates[cellOf(ageBucketOf(age), band)] ?? 0)));
  // λ falls as the name grows older: that of the middle of the time is about its mean.
  const middle = Math.max(0, ageDays) + worthwhileAfter(ageDays) / 2;
  const days = Math.min(MAX_DAYS_BETWEEN, Math.max(MIN_DAYS_BETWEEN, worthwhileAfter(middle)));
  const isWorthOffering = showWeight(band) * offerMaxAgeDays * COST_OF_HIDING >= threshold;
  return isWorthOffering ? Math.min(days, offerMaxAgeDays * SHARE_OF_OFFER) : days;
}

/** What a question about the name is worth so many days after its last answer, in the terms of the threshold. */
export function questionWorth(rates: RateTable, band: number, ageDays: number, daysUnasked: number): number {
  const middle = Math.max(0, ageDays) + daysUnasked / 2;
  return (showWeight(band) * (rates[cellOf(ageBucketOf(middle), band)] ?? 0) * daysUnasked ** 2) / 2;
}

/** How old the name is at that time, since its drop. */
export function ageInDays({ droppedAt, checkedAt }: OfferedName, at: Date): number {
  return (at.getTime() - (droppedAt ?? checkedAt).getTime()) / DAY_MS;
}

// From the lowest band to the highest. Answers are ranked by score, so a name is shown the more often the fewer are
// above it; each band holds a few times fewer names than the one below it and is shown about as often in all.
const WEIGHTS_FROM_LOWEST = [1, 3, 10, 40, 150, 600];

/**
 * How often a name of each band is shown, relative to one of the lowest: the cost of a day on which it is offered
 * and taken. In the order of {@link SCORE_BANDS}.
 */
export const SHOW_WEIGHTS: readonly number[] = SCORE_BANDS.map(
  (_, band) => WEIGHTS_FROM_LOWEST[SCORE_BANDS.length - 1 - band] ?? 1,
);

export function showWeight(band: number): number {
  return SHOW_WEIGHTS[band] ?? 1;
}

/**
 * The least worth of a question for which one is asked, in two parts: the steady one finds out over
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

/** How long it takes the threshold to become e times what it was, at the most. */
const BALANCE_MS = 4 * HOUR_MS;
/** The turns of so long should be due, to choose the best questions from. */
const DUE_SECONDS = 20 * 60;

export function dueAimedAt(turnsPerSecond: number): number {
  return Math.max(1, Math.min(MAX_DUE_LOOKED_AT / 2, turnsPerSecond * DUE_SECONDS));
}

/**
 * Moves the threshold until as many re-checks are due as {@link dueAimedAt}. So it follows the turns of re-checks
 * alone.
 *
 * @param dueShare the due re-checks as a share of that number
 */
export function balanceThreshold(threshold: number, dueShare: number, elapsedMs: number): number {
  const ratio = Math.sqrt(Math.max(1 / Math.E ** 2, Math.min(Math.E ** 2, dueShare)));
  return withinLimits(threshold * ratio ** Math.min(1, Math.max(0, elapsedMs) / BALANCE_MS));
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
export function isOutdated(nextCheckAt: number, freshCheckAt: number, checkedAt: number): boolean {
  return Math.abs(freshCheckAt - nextCheckAt) > WORTHWHILE_CHANGE * Math.max(0, nextCheckAt - checkedAt);
}

/**
 * The wait after the first question about an offer that was left without an answer; it doubles with each. Short, so that
 * the cap on the time unasked holds beside it.
 */
export const FIRST_OFFER_BACK_OFF_MS = 60_000;
/** How often the threshold follows the queue, and moments are looked over. */
export const MAINTENANCE_EVERY_MS = 60_000;
/** Most due names, earliest first, that each run checks again. */
export const MAX_DUE_LOOKED_AT = 1_000;
/** Other names that each run looks over, one after the other: a million in three and a half days. */
export const SWEPT_AT_ONCE = 200;
