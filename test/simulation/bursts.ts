import type { SeededRandom } from './random.js';

/** A theme is what a name is about: two hundred of them, alike in size. */
const THEMES = 200;
const DAYS_BETWEEN_BURSTS = 2;
const BURST_DAYS = 5;
/** Chance a day that a name of the theme is taken while the burst lasts, whatever its age and score. */
const BURST_RATE = 0.05;

/** Some themes become fashionable for some days, one after the other; nobody can see it coming from age or score. */
export class Bursts {
  private readonly starts: number[][] = Array.from({ length: THEMES }, () => []);

  constructor(random: SeededRandom, days: number) {
    for (let day = 0; day < days; day += DAYS_BETWEEN_BURSTS) {
      this.starts[Math.floor(random.next() * THEMES)]?.push(day);
    }
  }

  /** The day on which a burst takes a name that is free from `day` on; Infinity: none does. */
  draw(random: SeededRandom, day: number): number {
    const starts = this.starts[Math.floor(random.next() * THEMES)] ?? [];
    for (const start of starts) {
      const from = Math.max(day, start);
      const taken = from + random.nextExponential() / BURST_RATE;
      if (taken < start + BURST_DAYS) return taken;
    }
    return Infinity;
  }
}
