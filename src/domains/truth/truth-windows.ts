import { cautiousShare, RANKS, type SampleOutcome, type Share, type Stratum } from './sample-plan.js';

/** Samples are put together by the six hours before now in which they were taken; 0 is the latest. */
export const PERIOD_HOURS = 6;
/** Lengths of the windows that are published. */
export const WINDOW_HOURS = [24, 7 * 24, 30 * 24] as const;
/** What {@link compareLastDay} needs: the last day, and the 30 days before it. */
export const DAYS_COMPARED = 31;

/** Days since the drop, of an offer at the time when it was asked about; `from` null: no drop is known. */
export const AGE_GROUPS = [
  { from: 0, to: 1 },
  { from: 1, to: 7 },
  { from: 7, to: 30 },
  { from: 30, to: 365 },
  { from: 365, to: null },
  { from: null, to: null },
] as const;

/** The ranks of the first page and a few more, which most visitors see. */
export const FIRST_SHOWN = 'top_100' satisfies Stratum;
export const FIRST_SHOWN_RANKS = RANKS[FIRST_SHOWN];

/** How many samples of a period had that outcome. */
export interface PeriodCount {
  readonly stratum: Stratum;
  readonly period: number;
  /** `from` of the age group. */
  readonly ageFrom: number | null;
  readonly outcome: SampleOutcome;
  readonly count: number;
}

/** A share of false offers, averaged over a window. */
export interface WindowShare {
  readonly sampled: number;
  readonly taken: number;
  readonly unknown: number;
  /** Null below {@link MIN_SAMPLE}: too few to tell. */
  readonly share: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

export interface TruthWindow {
  readonly hours: number;
  /** Hours, by the six, in which an offer was sampled: the ones that the shares speak of. */
  readonly sampledHours: number;
  readonly offers: WindowShare;
  readonly byAge: readonly (WindowShare & { readonly from: number | null; readonly to: number | null })[];
  readonly firstShown: WindowShare;
}

/** A smaller sample, by weight, has no share: one taken name more would change it by 2 points. */
export const MIN_SAMPLE = 50;
/** The most that a sample may weigh, in means: one answer does not speak for six hours. */
const MAX_WEIGHT = 4;

/**
 * The shares of offers that were false, averaged over the last hours. Every six hours with a sample weigh the same,
 * however many samples they have: a registry that was away for half a day does not shift the mean to the other half.
 * The share of an age weighs each moment by the part of the offers that had that age then.
 */
export function measureWindow(counts: readonly PeriodCount[], hours: number): TruthWindow {
  const inWindow = counts.filter(({ period }) => period < hours / PERIOD_HOURS);
  const all = inWindow.filter(({ stratum }) => stratum === 'all');
  const first = inWindow.filter(({ stratum }) => stratum === FIRST_SHOWN);
  const weights = weigh(all);
  return {
    hours,
    sampledHours: weights.size * PERIOD_HOURS,
    offers: estimate(all, weights),
    byAge: AGE_GROUPS.map(({ from, to }) => ({
      from,
      to,
      ...estimate(
        all.filter(({ ageFrom }) => ageFrom === from),
        weights,
      ),
    })),
    firstShown: estimate(first, weigh(first)),
  };
}

/** What one sample of each period weighs. */
function weigh(counts: readonly PeriodCount[]): Map<number, number> {
  const sampled = new Map<number, number>();
  for (const { period, outcome, count } of counts) {
    if (outcome !== 'unknown') sampled.set(period, (sampled.get(period) ?? 0) + count);
  }
  const typical = sum([...sampled.values()]) / sampled.size;
  return new Map([...sampled].map(([period, count]) => [period, 1 / Math.max(count, typical / MAX_WEIGHT)]));
}

function estimate(counts: readonly PeriodCount[], weights: ReadonlyMap<number, number>): WindowShare {
  let [weight, squares, weightTaken] = [0, 0, 0];
  for (const { period, outcome, count } of counts) {
    if (outcome === 'unknown') continue;
    const each = weights.get(period) ?? 0;
    weight += each * count;
    squares += each * each * count;
    if (outcome === 'taken') weightTaken += each * count;
  }
  const of = (wanted: SampleOutcome) =>
    sum(counts.map(({ outcome, count }) => (outcome === wanted ? count : 0)));
  const counted = { sampled: of('free') + of('taken'), taken: of('taken'), unknown: of('unknown') };
  if (weight === 0) return { ...counted, share: null, low: null, high: null };
  // How many samples of equal weight would tell as much (Kish 1965).
  const size = (weight * weight) / squares;
  const { share, low, high } = cautiousShare((weightTaken / weight) * size, size) as Share;
  return { ...counted, share: size < MIN_SAMPLE ? null : share, low, high };
}

/** What the last day is, compared with the 30 days before. */
export const CHANGES = ['rise', 'fall', 'none', 'too_few'] as const;
export type Change = (typeof CHANGES)[number];

export interface Counted {
  readonly sampled: number;
  readonly taken: number;
}

export interface LastDay {
  readonly day: Counted;
  readonly before: Counted;
  /** How often chance alone makes the two differ as much; null where they are too few. */
  readonly chance: number | null;
  readonly change: Change;
}

/**
 * Rarer than this is called a change. It is so small because every minute compares again, for all offers and for the
 * first ones: together they call chance a change less than once a year (test/simulation/truth/).
 */
const MAX_CHANCE = 2e-4;

/** Whether more or fewer offers of a stratum were false in the last day than in the 30 days before. */
export function compareLastDay(counts: readonly PeriodCount[], stratum: Stratum): LastDay {
  const periods = 24 / PERIOD_HOURS;
  const of = (isIn: (period: number) => boolean): Counted => {
    const those = counts.filter(
      (one) => one.stratum === stratum && one.outcome !== 'unknown' && isIn(one.period),
    );
    return {
      sampled: sum(those.map(({ count }) => count)),
      taken: sum(those.map(({ outcome, count }) => (outcome === 'taken' ? count : 0))),
    };
  };
  return compare(
    of((period) => period < periods),
    of((period) => period >= periods && period < DAYS_COMPARED * periods),
  );
}

export function compare(day: Counted, before: Counted): LastDay {
  if (day.sampled < MIN_SAMPLE || before.sampled < MIN_SAMPLE)
    return { day, before, chance: null, change: 'too_few' };
  const chance = chanceOfDifference(day, before);
  const isRise = day.taken / day.sampled > before.taken / before.sampled;
  return { day, before, chance, change: chance > MAX_CHANCE ? 'none' : isRise ? 'rise' : 'fall' };
}

/**
 * Fisher's exact test, twice the smaller side: how often the taken ones fall on the two parts as unevenly, if they fall
 * by chance. Exact, as a day has only a handful of them.
 */
export function chanceOfDifference(one: Counted, other: Counted): number {
  const [all, taken, drawn] = [one.sampled + other.sampled, one.taken + other.taken, one.sampled];
  const [least, most] = [Math.max(0, drawn + taken - all), Math.min(drawn, taken)];
  // The most likely count has the weight 1, so that no weight overflows.
  const middle = Math.min(most, Math.max(least, Math.floor(((drawn + 1) * (taken + 1)) / (all + 2))));
  const next = (count: number) =>
    ((taken - count) * (drawn - count)) / ((count + 1) * (all - taken - drawn + count + 1));
  let [below, above, total] = [0, 0, 0];
  const add = (count: number, weight: number) => {
    total += weight;
    if (count <= one.taken) below += weight;
    if (count >= one.taken) above += weight;
  };
  for (let [count, weight] = [middle, 1]; count <= most; weight *= next(count), count += 1)
    add(count, weight);
  for (let [count, weight] = [middle - 1, 1]; count >= least; count -= 1) {
    weight /= next(count);
    add(count, weight);
  }
  return Math.min(1, (2 * Math.min(below, above)) / total);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
