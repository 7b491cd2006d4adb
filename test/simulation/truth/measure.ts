import {
  AGE_GROUPS,
  compare,
  type Counted,
  DAYS_COMPARED,
  measureWindow,
  WINDOW_HOURS,
  type WindowShare,
} from '../../../src/domains/truth/truth-windows.js';
import { SeededRandom } from '../random.js';
import { KnownWorld } from './known-world.js';
import { alarmsApart } from './rechecks.js';

/** Apart by the longest window, so that no two windows of a length share a sample. */
const APART_DAYS = 30;
const WARM_UP_DAYS = 60;

export interface Coverage {
  readonly hours: number;
  /** `all`, `first 100`, or the beginning of an age group. */
  readonly of: string;
  windows: number;
  covered: number;
  tooFew: number;
  sampled: number;
  truth: number;
  width: number;
}

/** How many of the windows of each length cover the truth of one world. */
export function coverageOf(seed: number, windows: number): Coverage[] {
  const world = new KnownWorld(seed, WARM_UP_DAYS + windows * APART_DAYS);
  const rows = new Map<string, Coverage>();
  const note = (hours: number, of: string, truth: number | null, measured: WindowShare | undefined) => {
    if (truth === null || !measured) return;
    const key = `${hours} ${of}`;
    const row = rows.get(key) ?? {
      ...{ hours, of, windows: 0, covered: 0, tooFew: 0, sampled: 0, truth: 0, width: 0 },
    };
    rows.set(key, row);
    const { share, low, high, sampled } = measured;
    if (share === null || low === null || high === null) {
      row.tooFew += 1;
      return;
    }
    row.windows += 1;
    row.covered += Number(low <= truth && truth <= high);
    row.sampled += sampled;
    row.truth += truth;
    row.width += high - low;
  };
  for (let window = 1; window <= windows; window += 1) {
    world.runTo(WARM_UP_DAYS + window * APART_DAYS);
    const counts = world.counts(DAYS_COMPARED);
    for (const hours of WINDOW_HOURS) {
      const truth = world.truth(hours);
      const measured = measureWindow(counts, hours);
      note(hours, 'all', truth.offers, measured.offers);
      AGE_GROUPS.forEach(({ from }, group) =>
        note(hours, `from ${from ?? 'unknown'}`, truth.byAge[group] ?? null, measured.byAge[group]),
      );
      note(hours, 'first 100', truth.first, measured.firstShown);
    }
  }
  return [...rows.values()];
}

const LOOKS_A_DAY = 48;

/** A sample a day, of a share in relation to that of all offers. */
export interface SampledStratum {
  readonly perDay: number;
  readonly factor: number;
}

/** What SAMPLE_PER_DAY=1000 draws of all offers but the first 100: young ones are false more often. */
export const ALL_OFFERS: readonly SampledStratum[] = [
  { perDay: 650, factor: 1 },
  { perDay: 50, factor: 1 },
  { perDay: 50, factor: 1 },
  { perDay: 60, factor: 3.5 },
  { perDay: 30, factor: 1.2 },
  { perDay: 60, factor: 0.9 },
];
export const FIRST_SHOWN: readonly SampledStratum[] = [{ perDay: 100, factor: 1 }];

/** A smaller difference, in standard deviations, is never called a change. */
const NO_CHANGE = 2.5;

/** Strata with known shares, of which the last day is compared with the 30 before, 48 times a day. */
class Stream {
  private readonly slots: Counted[][] = [];
  private readonly strata: { day: Counts; before: Counts }[];

  constructor(
    private readonly random: SeededRandom,
    private readonly sampled: readonly SampledStratum[],
  ) {
    this.strata = sampled.map(() => ({
      day: { sampled: 0, taken: 0 },
      before: { sampled: 0, taken: 0 },
    }));
  }

  /** @returns whether it looks like a change */
  look(share: number): boolean {
    this.slots.push(this.sampled.map((stratum) => this.draw(stratum, share)));
    if (this.slots.length > LOOKS_A_DAY * DAYS_COMPARED + 1) this.slots.shift();
    this.strata.forEach(({ day, before }, place) => {
      const at = (looks: number) => this.slots.at(-1 - looks)?.[place];
      add(day, at(0), 1);
      add(day, at(LOOKS_A_DAY), -1);
      add(before, at(LOOKS_A_DAY), 1);
      add(before, at(LOOKS_A_DAY * DAYS_COMPARED), -1);
    });
    if (this.isNear()) return false;
    const { change } = compare(this.strata);
    return change === 'rise' || change === 'fall';
  }

  private draw({ perDay, factor }: SampledStratum, share: number): Counted {
    const slot = { sampled: 0, taken: 0 };
    // Fractions of a sample a look are drawn too.
    for (let due = perDay / LOOKS_A_DAY - this.random.next(); due > 0; due -= 1) {
      slot.sampled += 1;
      slot.taken += Number(this.random.next() < factor * share);
    }
    return slot;
  }

  private isNear(): boolean {
    let [difference, variance] = [0, 0];
    for (const { day, before } of this.strata) {
      const [all, taken] = [day.sampled + before.sampled, day.taken + before.taken];
      difference += day.taken - (day.sampled * taken) / all;
      variance += (day.sampled * taken * before.sampled) / all ** 2;
    }
    return Math.abs(difference) < NO_CHANGE * Math.sqrt(variance);
  }
}

interface Counts {
  sampled: number;
  taken: number;
}

function add(to: Counts, slot: Counted | undefined, times: number): void {
  if (!slot) return;
  to.sampled += times * slot.sampled;
  to.taken += times * slot.taken;
}

/** How often chance alone is called a change: alarms at least a day apart, of all offers and of the first ones. */
export function falseAlarms(seed: number, years: number, share: number): number {
  const random = new SeededRandom(seed);
  let alarms = 0;
  for (const sampled of [ALL_OFFERS, FIRST_SHOWN]) {
    const stream = new Stream(random, sampled);
    alarms += alarmsApart(LOOKS_A_DAY, { from: DAYS_COMPARED, days: years * 365 }, () => stream.look(share));
  }
  return alarms;
}

/** Hours until a jump of the share was called a change, one for each trial; null: not within a day. */
export function noticedAfter(
  seed: number,
  trials: number,
  { from, to, of }: { from: number; to: number; of: readonly SampledStratum[] },
): (number | null)[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: trials }, () => {
    const stream = new Stream(random, of);
    for (let look = 0; look < DAYS_COMPARED * LOOKS_A_DAY; look += 1) stream.look(from);
    for (let look = 1; look <= LOOKS_A_DAY; look += 1) {
      if (stream.look(to)) return (look * 24) / LOOKS_A_DAY;
    }
    return null;
  });
}
