import { type Change, type LastDay, MAX_CHANCE, MIN_SAMPLE } from './truth-windows.js';

/** Re-checks of names on offer, in one of the days before now; 0 is the last one. */
export interface RecheckDay {
  readonly day: number;
  readonly asked: number;
  readonly taken: number;
  /** By the rates that were believed when each was asked. */
  readonly expected: number;
}

/** Fewer days do not show how much one differs from the next. */
const MIN_DAYS = 7;
/** With fewer expected in a day, the test below is too sure of itself. */
const MIN_EXPECTED = 20;

/**
 * Whether re-checks found more or fewer names taken in the last day than in the 30 days before. There are some forty
 * re-checks for each sample, so a change of the takers' ways shows here first. They are no sample: which names are asked,
 * and after how long, is chosen. So what they found is compared with what the learned rates expect of just these
 * questions. Days differ by more than chance (weekends, buyers who come and go); by how much, the 30 days say.
 */
export function compareRechecks(days: readonly RecheckDay[]): LastDay {
  const past = days.filter(({ day, expected }) => day > 0 && expected > 0);
  const today = days.find(({ day }) => day === 0) ?? { asked: 0, taken: 0, expected: 0 };
  const before = { sampled: sum(past, 'asked'), taken: sum(past, 'taken') };
  const factor = before.taken / sum(past, 'expected');
  const expected = factor * today.expected;
  const day = { sampled: today.asked, taken: today.taken };
  if (past.length < MIN_DAYS || before.taken < MIN_SAMPLE || expected < MIN_EXPECTED)
    return { day, before, expected: null, chance: null, change: 'too_few' };
  const squares = past.map((one) => deviance(one.taken, factor * one.expected) ** 2);
  const spread = Math.max(1, squares.reduce((total, square) => total + square, 0) / (past.length - 1));
  const chance = chanceBeyond(deviance(day.taken, expected) / Math.sqrt(spread), past.length - 1);
  const moved: Change = day.taken > expected ? 'rise' : 'fall';
  return { day, before, expected, chance, change: chance > MAX_CHANCE ? 'none' : moved };
}

/** By how many standard deviations a count differs from its expectation (signed root of the Poisson deviance). */
function deviance(taken: number, expected: number): number {
  const half = (taken === 0 ? 0 : taken * Math.log(taken / expected)) - (taken - expected);
  return Math.sign(taken - expected) * Math.sqrt(2 * Math.max(0, half));
}

/** Both tails of Student's distribution beyond t, by the normal distribution that is near it (Wallace 1959). */
function chanceBeyond(t: number, freedom: number): number {
  const scale = (8 * freedom + 1) / (8 * freedom + 3);
  return bothTails(scale * Math.sqrt(freedom * Math.log(1 + (t * t) / freedom)));
}

/** Of the normal distribution, by Abramowitz and Stegun 26.2.17, which is right to 1.5e-7. */
function bothTails(z: number): number {
  const part = 1 / (1 + 0.2316419 * z);
  const terms = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
  const series = terms.reduceRight((rest, term) => part * (term + rest), 0);
  return Math.min(1, (2 * series * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI));
}

function sum(days: readonly RecheckDay[], of: 'asked' | 'taken' | 'expected'): number {
  return days.reduce((total, one) => total + one[of], 0);
}
