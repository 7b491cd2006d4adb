import { SCORE_BANDS } from '../schema/filters/score-bands.js';
import { type EarlyRates, isEarly } from './early-rates.js';
import { MIN_THRESHOLD, showWeight } from './next-ask.js';
import { ageBucketOf, cellOf, type RateTable } from './rate-table.js';

const MINUTES_A_DAY = 1_440;
const SECONDS_A_DAY = 86_400;

/** A name that is shown among the first so many weighs so many times its band. */
export const TOP_RANKS = 100;
const TOP_FACTOR = 20;
/** The least time between two questions about a name. */
const MIN_YOUNG_GAP = 4 / MINUTES_A_DAY;
const MIN_TOP_GAP = 15 / MINUTES_A_DAY;
/** A name of this score and above is not left unasked for longer than the cap on its first day. */
export const CAPPED_SCORE = 10;
const LAST_CAPPED_BAND = SCORE_BANDS.findIndex(({ from }) => from === CAPPED_SCORE);
const CAPPED_DAYS = 1;
/** Most catches are of the first hours, so the cap is shorter there. */
const EARLY_CAP = { until: 3 / 24, share: 0.7 };
const MIN_CAP = 43 / MINUTES_A_DAY;
/** At most this share of the turns goes to keeping the cap: with more names it is longer. */
const CAP_SHARE = 0.68;

/** An offer whose question is planned ahead of the re-checks. All times are days. */
export interface YoungOffer {
  readonly band: number;
  readonly suffix?: string;
  /** Since the purge. */
  readonly age: number;
  readonly unasked: number;
  readonly isTop: boolean;
}

/** An idle turn takes a question of at least this part of the threshold. */
const LEAST_SHARE = 0.3;

/** What a question must be worth; the least worth leaves turns idle, out of courtesy to the registry. */
export function questionLimits(threshold: number): { threshold: number; leastWorth: number } {
  return { threshold, leastWorth: Math.max(MIN_THRESHOLD, LEAST_SHARE * threshold) };
}

/**
 * Whether the cap on the time unasked holds: for a name that was asked about last on its first day, until it is older
 * by a cap. While the next day's drops keep all turns, those of the day before outgrow it.
 */
export function isCapped({ band, age, unasked }: Pick<YoungOffer, 'band' | 'age' | 'unasked'>): boolean {
  return band <= LAST_CAPPED_BAND && age - unasked < CAPPED_DAYS && age < CAPPED_DAYS + MIN_CAP;
}

/**
 * The longest time that capped names may go unasked, in days.
 *
 * @param names that are capped
 * @param turnsPerSecond that are left beside callers
 */
export function longestCap(names: number, turnsPerSecond: number): number {
  return Math.max(MIN_CAP, names / (CAP_SHARE * turnsPerSecond * SECONDS_A_DAY));
}

export function capOf(age: number, longest: number): number {
  return age < EARLY_CAP.until ? EARLY_CAP.share * longest : longest;
}

/**
 * The worth of asking about the offer now: how often it is shown, times for how long it has been false by now on
 * average. 0 while the last answer is too recent.
 */
export function repeatWorth(
  { band, suffix, age, unasked, isTop }: YoungOffer,
  early: EarlyRates,
  rates: RateTable,
): number {
  if (unasked < (isEarly(age) ? MIN_YOUNG_GAP : MIN_TOP_GAP)) return 0;
  const weight = showWeight(band) * (isTop ? TOP_FACTOR : 1);
  if (isEarly(age)) return weight * early.falseDays(band, age - unasked, age, suffix);
  return (weight * (rates[cellOf(ageBucketOf(age - unasked), band)] ?? 0) * unasked ** 2) / 2;
}
