import { showWeight } from '../../src/domains/freshness/next-ask.js';
import type { Population } from './population.js';

/** What is offered at a moment of the simulation and how much of it is false, each name counted as often as it is shown. */
export class Offers {
  private shown = 0;
  private shownFalse = 0;
  private day = 0;
  private readonly gone: Uint8Array;
  private readonly takenOnDay: Int32Array[];

  constructor(
    private readonly names: Population,
    days: number,
  ) {
    this.gone = new Uint8Array(names.size);
    this.takenOnDay = groupByDay(names.takenDay, days);
  }

  add(name: number): void {
    this.shown += this.weight(name);
  }

  has(name: number): boolean {
    return this.gone[name] === 0;
  }

  /** Asks the registry of that world; a name that is found taken leaves. @returns whether it was taken */
  ask(name: number, now: number): boolean {
    const taken = this.names.takenDay[name] ?? Infinity;
    if (taken > now) return false;
    this.gone[name] = 1;
    this.shown -= this.weight(name);
    if (taken < this.day) this.shownFalse -= this.weight(name);
    return true;
  }

  /** @returns the share of what is shown that is false at the end of the day, from 0 to 1 */
  endDay(): number {
    for (const name of this.takenOnDay[this.day] ?? []) {
      if (this.has(name)) this.shownFalse += this.weight(name);
    }
    this.day += 1;
    return this.shownFalse / this.shown;
  }

  private weight(name: number): number {
    return showWeight(this.names.band[name] ?? 0);
  }
}

function groupByDay(moments: Float64Array, days: number): Int32Array[] {
  const counts = new Int32Array(days);
  for (const moment of moments)
    if (moment < days) counts[Math.floor(moment)] = (counts[Math.floor(moment)] ?? 0) + 1;
  const groups = Array.from(counts, (count) => new Int32Array(count));
  moments.forEach((moment, name) => {
    if (moment >= days) return;
    const day = Math.floor(moment);
    const left = (counts[day] ?? 0) - 1;
    counts[day] = left;
    const group = groups[day];
    if (group) group[left] = name;
  });
  return groups;
}
