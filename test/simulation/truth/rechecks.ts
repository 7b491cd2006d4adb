import { compareRechecks } from '../../../src/domains/truth/recheck-change.js';
import { DAYS_COMPARED } from '../../../src/domains/truth/truth-windows.js';
import { SeededRandom } from '../random.js';

/** Days differ: the rate of taking of each is off by so much, and fewer are taken at weekends. */
const DAY_SPREAD = 0.1;
const WEEKEND_FACTOR = 0.8;
const HOURS_A_DAY = 24;
const FIRST_DAYS = 120;

/** Names found taken by re-checks, hour by hour, of so many expected a day. */
class Rechecks {
  /** Found taken until each hour, from the beginning. */
  private readonly found = [0];
  private today = 1;

  constructor(
    private readonly random: SeededRandom,
    private readonly takenPerDay: number,
    /** What the rates believe, as a part of the truth: it is learned within so many days. */
    private readonly belief: { readonly first: number; readonly days: number } = { first: 1, days: 1 },
  ) {}

  /** @returns whether it looks like a change */
  look(factor: number): boolean {
    const hour = this.found.length - 1;
    if (hour % HOURS_A_DAY === 0) this.today = this.drawDay(hour / HOURS_A_DAY);
    const rate = (factor * this.today * this.takenPerDay) / HOURS_A_DAY;
    let taken = -1;
    for (let left = rate; left > 0; left -= this.random.nextExponential()) taken += 1;
    this.found.push((this.found[hour] ?? 0) + Math.max(0, taken));
    const days = Array.from(
      { length: Math.min(DAYS_COMPARED, Math.floor((hour + 1) / HOURS_A_DAY)) },
      (_, day) => {
        const end = hour + 1 - day * HOURS_A_DAY;
        const found = (this.found[end] ?? 0) - (this.found[end - HOURS_A_DAY] ?? 0);
        const learned = Math.exp(-(hour / HOURS_A_DAY - day) / this.belief.days);
        const expected = this.takenPerDay * this.belief.first ** learned;
        return { day, asked: 100 * this.takenPerDay, taken: found, expected };
      },
    );
    const { change } = compareRechecks(days);
    return change === 'rise' || change === 'fall';
  }

  private drawDay(day: number): number {
    // The sum of twelve is near enough to a normal one.
    let sum = -6;
    for (let drawn = 0; drawn < 12; drawn += 1) sum += this.random.next();
    return Math.exp(DAY_SPREAD * sum) * (day % 7 < 2 ? WEEKEND_FACTOR : 1);
  }
}

/** Counts alarms at least a day apart. @param from the first day that counts; the days before only play */
export function alarmsApart(
  looksADay: number,
  { from, days }: { readonly from: number; readonly days: number },
  look: () => boolean,
): number {
  let [alarms, lastAt] = [0, -Infinity];
  for (let at = 0; at < (from + days) * looksADay; at += 1) {
    if (!look() || at < from * looksADay) continue;
    if (at - lastAt > looksADay) alarms += 1;
    lastAt = at;
  }
  return alarms;
}

/** How often chance alone is called a change: alarms at least a day apart. */
export function recheckAlarms(seed: number, years: number, takenPerDay: number): number {
  const rechecks = new Rechecks(new SeededRandom(seed), takenPerDay);
  return alarmsApart(HOURS_A_DAY, { from: DAYS_COMPARED, days: years * 365 }, () => rechecks.look(1));
}

/** Alarms by chance in the first 120 days of so many installations, whose rates begin wrong and are learned within so many days. */
export function newcomersAlarms(
  seed: number,
  installations: number,
  takenPerDay: number,
  belief: { first: number; days: number },
): number {
  const random = new SeededRandom(seed);
  let alarms = 0;
  for (let one = 0; one < installations; one += 1) {
    const rechecks = new Rechecks(random, takenPerDay, belief);
    alarms += alarmsApart(HOURS_A_DAY, { from: 0, days: FIRST_DAYS }, () => rechecks.look(1));
  }
  return alarms;
}

/** Hours until a faster or slower rate was called a change, one for each trial; null: not within a day. */
export function recheckNoticedAfter(
  seed: number,
  trials: number,
  { takenPerDay, factor }: { takenPerDay: number; factor: number },
): (number | null)[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: trials }, (_, trial) => {
    const rechecks = new Rechecks(random, takenPerDay);
    // Begins on any day of the week, at any hour.
    const before = (DAYS_COMPARED + (trial % 7)) * HOURS_A_DAY + ((trial * 5) % HOURS_A_DAY);
    for (let look = 0; look < before; look += 1) rechecks.look(1);
    for (let look = 1; look <= HOURS_A_DAY; look += 1) if (rechecks.look(factor)) return look;
    return null;
  });
}
