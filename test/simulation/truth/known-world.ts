import {
  AGE_GROUPS,
  type AgeGroup,
  agesByNeed,
  DAYS_COMPARED,
  type PeriodCount,
  PERIOD_HOURS,
} from '../../../src/domains/truth/truth-windows.js';
import { type SampleOutcome, type Stratum, stratumOf } from '../../../src/domains/truth/sample-plan.js';
import { SeededRandom } from '../random.js';

/** One draw a step. */
export const STEPS_A_DAY = 1_000;
const PERIODS_A_DAY = 24 / PERIOD_HOURS;
const STEPS_A_PERIOD = STEPS_A_DAY / PERIODS_A_DAY;
const FIRST = 100;
const OTHERS = 2_900;
const OFFERS = FIRST + OTHERS;
/** The service looks at every draw which age needs one. */
const STEPS_A_LOOK = 20;
const UNKNOWN_AGE = AGE_GROUPS.length - 1;

/** Means in days; shares from 0 to 1. */
const CAUGHT_EARLY = { share: 0.06, afterDays: 0.3 };
const CAUGHT_LATER_DAYS = { first: 25, others: 70 };
const NOTICED_DAYS = { first: 0.25, others: 0.6 };
const WAVE = { everyDays: 40, forDays: 4, factor: 4 };
const NO_RECHECKS = { everyDays: 35, forDays: 2 };
const NO_SAMPLES = { everyDays: 9, forDays: 0.4 };
const FEW_SAMPLES = { everyDays: 20, forDays: 1.5, oneIn: 4 };
const UNANSWERED = 0.01;
const NO_DROP_KNOWN = 0.1;

/** Of one period: what was sampled, and the truth as a sum over its steps. */
interface Period {
  readonly samples: Map<string, PeriodCount>;
  readonly falseOffers: Float64Array;
  readonly offers: Float64Array;
  falseFirst: number;
}

/**
 * Offers that are caught, noticed and replaced, in a world whose share of false offers rises and falls: waves of
 * buyers, days without re-checks, hours without samples and days with few. One offer is drawn a step, as the service
 * draws them; a false one that was drawn leaves.
 */
export class KnownWorld {
  private readonly random: SeededRandom;
  private readonly events = new Map<number, (() => void)[]>();
  private readonly isFalse = new Uint8Array(OFFERS);
  private readonly life = new Uint32Array(OFFERS);
  private readonly ageGroup = new Uint8Array(OFFERS);
  private readonly offersNow = new Float64Array(AGE_GROUPS.length);
  private readonly falseNow = new Float64Array(AGE_GROUPS.length);
  private falseFirstNow = 0;
  private readonly periods: Period[] = [];
  private readonly spells: Readonly<Record<'wave' | 'noRechecks' | 'noSamples' | 'fewSamples', Spells>>;
  private drawn = 0;
  private older: { readonly periods: number; readonly counts: readonly PeriodCount[] } = {
    periods: 0,
    counts: [],
  };
  private needed: readonly AgeGroup[] = [];
  private neededUntil = 0;
  private step = 0;

  constructor(seed: number, days: number) {
    this.random = new SeededRandom(seed);
    const spells = (of: { everyDays: number; forDays: number }) => new Spells(this.random, days, of);
    this.spells = {
      wave: spells(WAVE),
      noRechecks: spells(NO_RECHECKS),
      noSamples: spells(NO_SAMPLES),
      fewSamples: spells(FEW_SAMPLES),
    };
    for (let place = 0; place < OFFERS; place += 1) this.place(place, this.random.nextExponential() * 90);
  }

  runTo(day: number): void {
    for (; this.step < day * STEPS_A_DAY; this.step += 1) {
      for (const happen of this.events.get(this.step) ?? []) happen();
      this.events.delete(this.step);
      const period = (this.periods[Math.floor(this.step / STEPS_A_PERIOD)] ??= emptyPeriod());
      for (let group = 0; group < AGE_GROUPS.length; group += 1) {
        period.offers[group] = (period.offers[group] ?? 0) + (this.offersNow[group] ?? 0);
        period.falseOffers[group] = (period.falseOffers[group] ?? 0) + (this.falseNow[group] ?? 0);
      }
      period.falseFirst += this.falseFirstNow;
      if (this.isSampling()) this.draw(period);
    }
  }

  /** What the samples of the days before now say, by period. */
  counts(days: number): PeriodCount[] {
    const periods = this.periods.slice(-(days * 24) / PERIOD_HOURS);
    return periods.flatMap(({ samples }, place) =>
      [...samples.values()].map((count) => ({ ...count, period: periods.length - 1 - place })),
    );
  }

  /** The true share over the sampled periods of the last hours, of all offers, by age group and of the first. */
  truth(hours: number): { offers: number; byAge: (number | null)[]; first: number } {
    const sampledIn = (stratum: Stratum) =>
      this.periods
        .slice(-hours / PERIOD_HOURS)
        .filter(({ samples }) =>
          [...samples.values()].some((one) => one.stratum === stratum && one.outcome !== 'unknown'),
        );
    const [all, first] = [sampledIn('all'), sampledIn('top_100')];
    const total = (of: (period: Period) => number) => all.reduce((sum, period) => sum + of(period), 0);
    const byAge = AGE_GROUPS.map(({ from }, group) => {
      const sampled = this.periods
        .slice(-hours / PERIOD_HOURS)
        .filter(({ samples }) =>
          [...samples.values()].some(
            ({ stratum, ageFrom, outcome }) =>
              stratum !== 'top_100' && ageFrom === from && outcome !== 'unknown',
          ),
        );
      const sum = sampled.reduce(
        (all, period) => all + (period.falseOffers[group] ?? 0) / (period.offers[group] ?? 1),
        0,
      );
      return sampled.length === 0 ? null : sum / sampled.length;
    });
    const falseAll = total((period) => period.falseOffers.reduce((sum, count) => sum + count, 0));
    return {
      offers: falseAll / (all.length * STEPS_A_PERIOD * OFFERS),
      byAge,
      first:
        first.reduce((sum, period) => sum + period.falseFirst, 0) / (first.length * STEPS_A_PERIOD * FIRST),
    };
  }

  private isSampling(): boolean {
    if (this.spells.noSamples.isIn(this.step)) return false;
    return !this.spells.fewSamples.isIn(this.step) || this.random.next() * FEW_SAMPLES.oneIn < 1;
  }

  private draw(period: Period): void {
    const stratum = stratumOf(this.drawn);
    this.drawn += 1;
    if (stratum === 'top_1000' || stratum === 'top_10000') return;
    const place = stratum === 'age' ? this.drawFromAges() : this.drawFrom(stratum === 'all' ? OFFERS : FIRST);
    if (place === null) return;
    const ageFrom = AGE_GROUPS[this.ageGroup[place] ?? 0]?.from ?? null;
    const isUnanswered = this.random.next() < UNANSWERED;
    const outcome: SampleOutcome = isUnanswered ? 'unknown' : this.isFalse[place] ? 'taken' : 'free';
    const key = `${stratum} ${ageFrom} ${outcome}`;
    const count = (period.samples.get(key)?.count ?? 0) + 1;
    period.samples.set(key, { stratum, period: 0, ageFrom, outcome, count });
    if (outcome === 'taken') this.place(place, 0);
  }

  private drawFrom(offers: number): number {
    return Math.floor(this.random.next() * offers);
  }

  private drawFromAges(): number | null {
    if (this.step >= this.neededUntil) {
      this.needed = agesByNeed([...this.counts(1), ...this.countsBeforeLastDay()], OFFERS);
      this.neededUntil = this.step + STEPS_A_LOOK;
    }
    for (const { from } of this.needed) {
      const group = AGE_GROUPS.findIndex((one) => one.from === from);
      if (!this.offersNow[group]) continue;
      for (;;) {
        const place = this.drawFrom(OFFERS);
        if (this.ageGroup[place] === group) return place;
      }
    }
    return null;
  }

  /** As one period, since {@link agesByNeed} tells them not apart; they stay the same until the next period begins. */
  private countsBeforeLastDay(): readonly PeriodCount[] {
    const periods = this.periods.length;
    if (this.older.periods === periods) return this.older.counts;
    const sums = new Map<string, PeriodCount & { count: number }>();
    for (const { samples } of this.periods.slice(-DAYS_COMPARED * PERIODS_A_DAY, -PERIODS_A_DAY))
      for (const [key, one] of samples) {
        const sum = sums.get(key);
        if (sum) sum.count += one.count;
        else sums.set(key, { ...one, period: PERIODS_A_DAY });
      }
    this.older = { periods, counts: [...sums.values()] };
    return this.older.counts;
  }

  /** Another offer takes the place. */
  private place(place: number, ageDays: number): void {
    if (this.life[place]) this.count(place, -1);
    const life = (this.life[place] ?? 0) + 1;
    this.life[place] = life;
    this.isFalse[place] = 0;
    const isAgeKnown = this.random.next() >= NO_DROP_KNOWN;
    this.ageGroup[place] = isAgeKnown ? groupOf(ageDays) : UNKNOWN_AGE;
    this.count(place, 1);
    const later = (days: number, happen: () => void) =>
      this.at(this.step + Math.max(1, Math.round(days * STEPS_A_DAY)), () => {
        if (this.life[place] === life) happen();
      });
    const rank = place < FIRST ? 'first' : 'others';
    const early = CAUGHT_EARLY.share * (this.spells.wave.isIn(this.step) ? WAVE.factor : 1);
    const isEarly = ageDays === 0 && this.random.next() < early;
    const caught =
      this.random.nextExponential() * (isEarly ? CAUGHT_EARLY.afterDays : CAUGHT_LATER_DAYS[rank]);
    later(caught, () => {
      this.count(place, -1);
      this.isFalse[place] = 1;
      this.count(place, 1);
      const resumed = this.spells.noRechecks.endAfter(this.step) - this.step;
      later(resumed / STEPS_A_DAY + this.random.nextExponential() * NOTICED_DAYS[rank], () =>
        this.place(place, 0),
      );
    });
    if (!isAgeKnown) return;
    AGE_GROUPS.forEach(({ from }, group) => {
      if (from === null || from <= ageDays) return;
      later(from - ageDays, () => {
        this.count(place, -1);
        this.ageGroup[place] = group;
        this.count(place, 1);
      });
    });
  }

  private count(place: number, by: 1 | -1): void {
    const group = this.ageGroup[place] ?? 0;
    this.offersNow[group] = (this.offersNow[group] ?? 0) + by;
    if (!this.isFalse[place]) return;
    this.falseNow[group] = (this.falseNow[group] ?? 0) + by;
    if (place < FIRST) this.falseFirstNow += by;
  }

  private at(step: number, happen: () => void): void {
    const events = this.events.get(step);
    if (events) events.push(happen);
    else this.events.set(step, [happen]);
  }
}

/** Spells of a length at random times. */
class Spells {
  private readonly spells: { from: number; to: number }[] = [];
  private next = 0;

  constructor(random: SeededRandom, days: number, of: { everyDays: number; forDays: number }) {
    for (let day = random.nextExponential() * of.everyDays; day < days;) {
      const [from, to] = [day, day + of.forDays];
      this.spells.push({ from: from * STEPS_A_DAY, to: to * STEPS_A_DAY });
      day = to + random.nextExponential() * of.everyDays;
    }
  }

  /** @param step not before the one of the last question */
  isIn(step: number): boolean {
    return this.endAfter(step) > step;
  }

  /** The end of the spell that the step is in, or the step. */
  endAfter(step: number): number {
    while (step >= (this.spells[this.next]?.to ?? Infinity)) this.next += 1;
    const spell = this.spells[this.next];
    return spell && step >= spell.from ? spell.to : step;
  }
}

function groupOf(ageDays: number): number {
  return AGE_GROUPS.findIndex(
    ({ from, to }) => from !== null && ageDays >= from && (to === null || ageDays < to),
  );
}

function emptyPeriod(): Period {
  return {
    samples: new Map(),
    falseOffers: new Float64Array(AGE_GROUPS.length),
    offers: new Float64Array(AGE_GROUPS.length),
    falseFirst: 0,
  };
}
