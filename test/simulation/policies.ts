import type { Offers } from './offers.js';
import type { Population } from './population.js';

/** Spends a day's questions; says nothing back, for what it finds out is in the offers. */
export interface Policy {
  /** A name whose drop was confirmed just now, or at the beginning. */
  add(name: number, day: number): void;
  spendDay(day: number, questions: number): void;
  /** The day of the last answer about the name. */
  lastAsked(name: number): number;
}

export type MakePolicy = (names: Population, offers: Offers) => Policy;

export const askNothing: MakePolicy = (names) => new InOrder(names, null, () => 0);

/** The names of the last days, each once a day. */
export const youngestFirst: MakePolicy = (names, offers) =>
  new InOrder(names, offers, (name) => names.droppedDay[name] ?? 0);

export const bestRankFirst: MakePolicy = (names, offers) =>
  new InOrder(names, offers, (name) => names.rank[name] ?? 0);

/** The longest unasked first. */
export const roundRobin: MakePolicy = (names, offers) => new RoundRobin(names, offers);

class RoundRobin implements Policy {
  private readonly asked: Float64Array;
  private waiting: number[] = [];

  constructor(
    { size }: Population,
    private readonly offers: Offers,
  ) {
    this.asked = new Float64Array(size);
  }

  add(name: number, day: number): void {
    this.asked[name] = day;
    this.waiting.push(name);
  }

  spendDay(day: number, questions: number): void {
    const turns = Math.min(questions, this.waiting.length);
    for (let turn = 0; turn < turns; turn += 1) {
      const name = this.waiting[turn] ?? 0;
      if (!this.offers.ask(name, day + turn / questions)) this.add(name, day + turn / questions);
    }
    this.waiting = this.waiting.slice(turns);
  }

  lastAsked(name: number): number {
    return this.asked[name] ?? 0;
  }
}

/** Asks about the first names of an order, from its beginning every day. */
class InOrder implements Policy {
  private readonly order: Int32Array;
  private readonly asked: Float64Array;

  constructor(
    { size }: Population,
    private readonly offers: Offers | null,
    placeOf: (name: number) => number,
  ) {
    this.asked = new Float64Array(size).fill(NaN);
    this.order = Int32Array.from({ length: size }, (_, name) => name);
    if (offers) this.order.sort((a, b) => placeOf(b) - placeOf(a));
  }

  add(name: number, day: number): void {
    this.asked[name] = day;
  }

  spendDay(day: number, questions: number): void {
    let turn = 0;
    for (const name of this.order) {
      if (!this.offers || turn >= questions) return;
      if (Number.isNaN(this.lastAsked(name)) || !this.offers.has(name)) continue;
      this.offers.ask(name, day + turn / questions);
      this.asked[name] = day + turn / questions;
      turn += 1;
    }
  }

  lastAsked(name: number): number {
    return this.asked[name] ?? NaN;
  }
}
