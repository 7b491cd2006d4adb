import { cautiousShare, type SampleOutcome, type Share, type Stratum } from './sample-plan.js';

/** Samples are put together by the six hours before now in which they were taken; 0 is the latest. */
export const PERIOD_HOURS = 6;
const PERIODS_A_DAY = 24 / PERIOD_HOURS;
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

export type AgeGroup = (typeof AGE_GROUPS)[number] & { readonly from: number };

/** More samples a day than this part of a group's offers ask about the same ones again, and say nothing new. */
const MAX_SAMPLED = 0.25;

/**
 * The groups of a known age to draw from, those first that had the fewest samples in the last day; none whose offers are
 * too few for another one.
 *
 * @param offers there are in all
 */
export function agesByNeed(counts: readonly PeriodCount[], offers: number): AgeGroup[] {
  const sampled = (isIn: (one: PeriodCount) => boolean) =>
    sum(counts.map((one) => (one.outcome !== 'unknown' && isIn(one) ? one.count : 0)));
  const all = sampled(({ stratum }) => stratum === 'all');
  const groups = AGE_GROUPS.filter((group): group is AgeGroup => group.from !== null).map((group) => ({
    group,
    today: sampled(({ period, ageFrom }) => period < PERIODS_A_DAY && ageFrom === group.from),
    offers:
      (offers * sampled(({ stratum, ageFrom }) => stratum === 'all' && ageFrom === group.from)) /
      Math.max(1, all),
  }));
  return groups
    .filter((one) => one.today < MAX_SAMPLED * one.offers)
    .sort((one, other) => one.today - other.today)
    .map(({ group }) => group);
}

/** The ranks of the first page and a few more, which most visitors see. */
export const FIRST_SHOWN = 'top_100' satisfies Stratum;

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
 * Offers of an age are also drawn on their own, as they may be few.
 */
export function measureWindow(counts: readonly PeriodCount[], hours: number): TruthWindow {
  const inWindow = counts.filter(({ period }) => period < hours / PERIOD_HOURS);
  const all = inWindow.filter(({ stratum }) => stratum === 'all');
  const first = inWindow.filter(({ stratum }) => stratum === FIRST_SHOWN);
  const ofAnyAge = inWindow.filter(({ stratum }) => stratum === 'all' || stratum === 'age');
  return {
    hours,
    sampledHours: weigh(all).size * PERIOD_HOURS,
    offers: estimate(all),
    byAge: AGE_GROUPS.map(({ from, to }) => ({
      from,
      to,
      ...estimate(ofAnyAge.filter(({ ageFrom }) => ageFrom === from)),
    })),
    firstShown: estimate(first),
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

function estimate(counts: readonly PeriodCount[]): WindowShare {
  const weights = weigh(counts);
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
  /** How many the day has taken where nothing changed; null where they are too few. */
  readonly expected: number | null;
  /** How often chance alone makes the two differ as much; null where they are too few. */
  readonly chance: number | null;
  readonly change: Change;
}

/**
 * Rarer than this is called a change. It is so small because every minute compares again, for all offers and for the
 * first ones: together they call chance a change a few times a year. A sum of log likelihoods that starts again
 * (CUSUM) noticed no more at as many false alarms (test/simulation/truth/); re-checks do (recheck-change.ts).
 */
export const MAX_CHANCE = 1e-3;

/**
 * Whether more or fewer offers were false in the last day than in the 30 days before: of the first shown, by their own
 * sample, or of all, by all other samples. Each stratum is compared with itself, as their shares differ.
 */
export function compareLastDay(counts: readonly PeriodCount[], of: 'offers' | 'first_100'): LastDay {
  const strata = new Map<string, { day: typeof NOTHING; before: typeof NOTHING }>();
  for (const { stratum, ageFrom, period, outcome, count } of counts) {
    const isFirst = stratum === FIRST_SHOWN;
    if (isFirst !== (of === 'first_100') || outcome === 'unknown' || period >= DAYS_COMPARED * PERIODS_A_DAY)
      continue;
    const key = stratum === 'age' ? `age ${ageFrom}` : stratum;
    const known = strata.get(key) ?? { day: { ...NOTHING }, before: { ...NOTHING } };
    strata.set(key, known);
    const part = period < PERIODS_A_DAY ? known.day : known.before;
    part.sampled += count;
    if (outcome === 'taken') part.taken += count;
  }
  return compare([...strata.values()]);
}

const NOTHING = { sampled: 0, taken: 0 };

/** A stratum in the last day, and in the days before. */
export interface Compared {
  readonly day: Counted;
  readonly before: Counted;
}

export function compare(strata: readonly Compared[]): LastDay {
  const [day, before] = [
    total(strata.map((stratum) => stratum.day)),
    total(strata.map((stratum) => stratum.before)),
  ];
  if (day.sampled < MIN_SAMPLE || before.sampled < MIN_SAMPLE)
    return { day, before, expected: null, chance: null, change: 'too_few' };
  const chance = chanceOfDifference(strata);
  const isRise = day.taken > sum(strata.map(evenlyTaken));
  const expected = sum(strata.map(expectedTaken));
  return { day, before, expected, chance, change: chance > MAX_CHANCE ? 'none' : isRise ? 'rise' : 'fall' };
}

/** Of the day, at the share of the days before; a stratum that they do not have tells nothing. */
function expectedTaken({ day, before }: Compared): number {
  return before.sampled === 0 ? day.taken : (day.sampled * before.taken) / before.sampled;
}

/** Of the day, if the taken ones of both parts fall on them by chance. */
function evenlyTaken({ day, before }: Compared): number {
  const all = day.sampled + before.sampled;
  return all === 0 ? 0 : (day.sampled * (day.taken + before.taken)) / all;
}

/**
 * Fisher's exact test for several strata, twice the smaller side: how often the taken ones of each stratum fall on the
 * two parts so unevenly in all, if they fall by chance. Exact, as a day has only a handful of them.
 */
export function chanceOfDifference(strata: readonly Compared[]): number {
  const spread = strata.map(chancesOfCounts).reduce(addedUp, { least: 0, chances: [1] });
  const taken = sum(strata.map(({ day }) => day.taken));
  let [below, above] = [0, 0];
  spread.chances.forEach((chance, place) => {
    if (spread.least + place <= taken) below += chance;
    if (spread.least + place >= taken) above += chance;
  });
  return Math.min(1, (2 * Math.min(below, above)) / sum(spread.chances));
}

/** Of the counts from the least on, how likely each is in relation to the others. */
interface Spread {
  readonly least: number;
  readonly chances: readonly number[];
}

/** Less likely counts are left out at both ends. */
const NEGLIGIBLE = 1e-18;

/** How many taken ones the day has by chance: hypergeometric. */
function chancesOfCounts({ day, before }: Compared): Spread {
  const [all, taken, drawn] = [day.sampled + before.sampled, day.taken + before.taken, day.sampled];
  const [least, most] = [Math.max(0, drawn + taken - all), Math.min(drawn, taken)];
  // The most likely count has the weight 1, so that no weight overflows.
  const middle = Math.min(most, Math.max(least, Math.floor(((drawn + 1) * (taken + 1)) / (all + 2))));
  const next = (count: number) =>
    ((taken - count) * (drawn - count)) / ((count + 1) * (all - taken - drawn + count + 1));
  const above: number[] = [];
  for (let [count, weight] = [middle, 1]; count <= most && weight > NEGLIGIBLE; count += 1) {
    above.push(weight);
    weight *= next(count);
  }
  const below: number[] = [];
  for (let [count, weight] = [middle - 1, 1]; count >= least && weight > NEGLIGIBLE; count -= 1) {
    weight /= next(count);
    below.push(weight);
  }
  return { least: middle - below.length, chances: [...below.reverse(), ...above] };
}

/** The same of the sum of two counts. */
function addedUp(one: Spread, other: Spread): Spread {
  const chances = new Array<number>(one.chances.length + other.chances.length - 1).fill(0);
  one.chances.forEach((chance, place) =>
    other.chances.forEach((more, further) => {
      chances[place + further] = (chances[place + further] ?? 0) + chance * more;
    }),
  );
  return { least: one.least + other.least, chances };
}

function total(parts: readonly Counted[]): Counted {
  return {
    sampled: sum(parts.map(({ sampled }) => sampled)),
    taken: sum(parts.map(({ taken }) => taken)),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
