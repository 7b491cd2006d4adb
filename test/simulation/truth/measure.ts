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

/** A stream of samples with a known share, of which the last day is compared with the 30 before, 48 times a day. */
class Stream {
  private readonly slots: Counted[] = [];
  private readonly day = { sampled: 0, taken: 0 };
  private readonly before = { sampled: 0, taken: 0 };

  constructor(
    private readonly random: SeededRandom,
    private readonly perLook: number,
  ) {}

  /** @returns whether it looks like a change */
  look(share: number): boolean {
    const slot = { sampled: 0, taken: 0 };
    // Fractions of a sample a look are drawn too.
    for (let due = this.perLook - this.random.next(); due > 0; due -= 1) {
      slot.sampled += 1;
      slot.taken += Number(this.random.next() < share);
    }
    this.slots.push(slot);
    add(this.day, slot, 1);
    const leaving = this.slots.at(-1 - LOOKS_A_DAY);
    if (leaving) {
      add(this.day, leaving, -1);
      add(this.before, leaving, 1);
    }
    const old = this.slots.at(-1 - LOOKS_A_DAY * DAYS_COMPARED);
    if (old) add(this.before, old, -1);
    const { change } = compare(this.day, this.before);
    return change === 'rise' || change === 'fall';
  }
}

function add(to: { sampled: number; taken: number }, slot: Counted, times: number): void {
  to.sampled += times * slot.sampled;
  to.taken += times * slot.taken;
}

/** How often chance alone is called a change: alarms at least a day apart, of all offers and of the first ones. */
export function falseAlarms(seed: number, years: number, share: number): number {
  const random = new SeededRandom(seed);
  let alarms = 0;
  for (const perDay of [700, 100]) {
    const stream = new Stream(random, perDay / LOOKS_A_DAY);
    let lastAt = -Infinity;
    for (let look = 0; look < (years * 365 + DAYS_COMPARED) * LOOKS_A_DAY; look += 1) {
      if (!stream.look(share) || look < DAYS_COMPARED * LOOKS_A_DAY) continue;
      if (look - lastAt > LOOKS_A_DAY) alarms += 1;
      lastAt = look;
    }
  }
  return alarms;
}

/** Hours until a jump of the share was called a change, one for each trial; null: not within a day. */
export function noticedAfter(
  seed: number,
  trials: number,
  { from, to, perDay }: { from: number; to: number; perDay: number },
): (number | null)[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: trials }, () => {
    const stream = new Stream(random, perDay / LOOKS_A_DAY);
    for (let look = 0; look < DAYS_COMPARED * LOOKS_A_DAY; look += 1) stream.look(from);
    for (let look = 1; look <= LOOKS_A_DAY; look += 1) {
      if (stream.look(to)) return (look * 24) / LOOKS_A_DAY;
    }
    return null;
  });
}
