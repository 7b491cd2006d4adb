/** A small fast generator with a seed (mulberry32): the same seed gives the same simulation on every machine. */
export class SeededRandom {
  constructor(private state: number) {}

  /** From 0 up to and without 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An exponential variate of mean 1: how much cumulative hazard a name survives. */
  nextExponential(): number {
    return -Math.log(1 - this.next());
  }
}
