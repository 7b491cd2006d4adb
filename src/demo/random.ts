/** Numbers that look random and are the same for the same seed on every machine (the generator sfc32). */
export class Random {
  private a: number;
  private b: number;
  private c = 0x9e3779b9;
  private counter = 1;

  /** @param seed a whole number from 0 up to the largest safe one */
  constructor(seed: number) {
    this.a = seed | 0;
    this.b = Math.floor(seed / 2 ** 32) | 0;
    // The first numbers after seeding resemble the seed.
    for (let i = 0; i < 15; i += 1) this.nextUint32();
  }

  /** From 0 (included) to 1 (excluded). */
  nextFraction(): number {
    return this.nextUint32() / 2 ** 32;
  }

  /** A whole number from 0 (included) to `below` (excluded). */
  nextIndex(below: number): number {
    return Math.floor(this.nextFraction() * below);
  }

  chance(probability: number): boolean {
    return this.nextFraction() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.nextIndex(items.length)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }

  /** A number of the normal distribution with mean 0 and deviation 1 (Box and Muller). */
  nextNormal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.nextFraction())) * Math.cos(2 * Math.PI * this.nextFraction());
  }

  private nextUint32(): number {
    const result = (this.a + this.b + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + result) | 0;
    return result >>> 0;
  }
}

export class WeightedChoice<Item> {
  private readonly items: readonly Item[];
  private readonly sums: readonly number[];

  constructor(weighted: readonly (readonly [Item, number])[]) {
    this.items = weighted.map(([item]) => item);
    let sum = 0;
    this.sums = weighted.map(([, weight]) => (sum += weight));
  }

  pick(random: Random): Item {
    const point = random.nextFraction() * (this.sums.at(-1) ?? 0);
    const item = this.items[this.sums.findIndex((sum) => point < sum)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }
}
