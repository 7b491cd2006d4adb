/**
 * Remembers names by 53 bits of hash each, so that ten million cost 160 MB and not a gigabyte of strings. Two names with
 * one hash count as the same: of ten million names one in about a hundred runs would be lost, and the run stays the same.
 */
export class NameSet {
  private readonly slots: Float64Array;

  constructor(capacity: number) {
    this.slots = new Float64Array(2 * Math.max(capacity, 1));
  }

  /** @returns false if it was there already */
  add(name: string): boolean {
    const hash = hashOf(name);
    let slot = hash % this.slots.length;
    for (;;) {
      const found = this.slots[slot];
      if (found === hash) return false;
      if (found === EMPTY) break;
      slot = (slot + 1) % this.slots.length;
    }
    this.slots[slot] = hash;
    return true;
  }
}

const EMPTY = 0;

// cyrb53: two multiplying hashes side by side, joined to 53 bits, the most a number holds exactly.
function hashOf(name: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < name.length; i += 1) {
    const code = name.charCodeAt(i);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 2 ** 32 * ((2 ** 21 - 1) & low) + (high >>> 0) || 1;
}
