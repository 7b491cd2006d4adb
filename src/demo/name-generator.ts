import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_FOLDER } from '../config/product.js';
import { faultOfLabel } from '../domains/name/rules/text-fault.js';
import { type Suffix, SUFFIXES } from '../domains/schema/domain.js';

/** Numbers that look random and are the same for the same seed on every machine (the generator sfc32). */
class Random {
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

class WeightedChoice<Item> {
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

export interface GeneratedName {
  readonly domain: string;
  readonly wayback: number;
  /** YYYY-MM-DD */
  readonly firstSeen: string;
}

export const MAX_GENERATED_NAMES = 50_000_000;

// There are only so many short names: past this many repeats in a row something is wrong.
const MAX_REPEATS = 10_000;

/**
 * Makes up `count` distinct .au names; the same seed gives the same names, and a longer run begins with the shorter
 * one's.
 *
 * @param count at most {@link MAX_GENERATED_NAMES}; memory grows by 16 bytes a name
 */
export function* generateNames(count: number, seed: number): Generator<GeneratedName> {
  const random = new Random(seed);
  const labels = new LabelMaker(random);
  const seen = new NameSet(count);
  let repeats = 0;
  for (let made = 0; made < count;) {
    const label = labels.make();
    const domain = `${label}.${SUFFIX_SHARES.pick(random)}`;
    if (faultOfLabel(label) !== null) continue;
    if (!seen.add(domain)) {
      repeats += 1;
      if (repeats > MAX_REPEATS) throw new Error(`only ${made} distinct names could be made up`);
      continue;
    }
    repeats = 0;
    made += 1;
    yield { domain, wayback: makeScore(random), firstSeen: makeDay(random) };
  }
}

// As in the deletion lists that the names are modelled on.
const SUFFIX_SHARES = new WeightedChoice<Suffix>([
  ['com.au', 88.4],
  ['au', 9.1],
  ['id.au', 0.83],
  ['net.au', 0.69],
  ['org.au', 0.55],
  ['asn.au', 0.41],
] satisfies [(typeof SUFFIXES)[number], number][]);

// 55 % were never archived; the rest is log-normal, so that each tenfold score is rarer by more and more.
const ZERO_SHARE = 0.55;
const LOG_MEAN = 2.47;
const LOG_DEVIATION = 1.59;

function makeScore(random: Random): number {
  if (random.chance(ZERO_SHARE)) return 0;
  return Math.max(1, Math.floor(Math.exp(LOG_MEAN + LOG_DEVIATION * random.nextNormal())));
}

const FIRST_DAY = Date.UTC(2024, 6, 1);
const DAYS = 730;
const DAY_MS = 86_400_000;

function makeDay(random: Random): string {
  return new Date(FIRST_DAY + random.nextIndex(DAYS) * DAY_MS).toISOString().slice(0, 10);
}

/**
 * Makes up labels that look like those people register: compounds of words, words that never were, either with a
 * place, a number or hyphens, and a few very short ones. Not every label is a valid one, and the same may come twice.
 */
class LabelMaker {
  constructor(private readonly random: Random) {}

  make(): string {
    return this.numbered(KINDS.pick(this.random)(this));
  }

  /** Two or three words of the list. */
  compound(): string {
    const { random } = this;
    const parts = [random.pick(WORDS), random.pick(WORDS)];
    if (random.chance(0.12)) parts.push(random.pick(WORDS));
    return parts.join(this.joint());
  }

  /** A word or a made-up word with a place before or behind it. */
  local(): string {
    const { random } = this;
    const what = random.chance(0.7) ? random.pick(WORDS) : this.invented();
    const where = random.pick(PLACES);
    return (random.chance(0.5) ? [where, what] : [what, where]).join(this.joint());
  }

  /** A made-up word with a word of the list. */
  branded(): string {
    return [this.invented(), this.random.pick(WORDS)].join(this.joint());
  }

  /** One word that never was, letter after letter as the statistics have it. */
  invented(): string {
    for (let word = ''; ;) {
      const next = NEXT_LETTER.get(`^^${word}`.slice(-2))?.pick(this.random) ?? END;
      if (next !== END) word += next;
      else if (word.length >= SHORTEST_INVENTED) return word;
      else word = '';
      if (word.length > MAX_INVENTED_LENGTH) word = '';
    }
  }

  /** Two to four characters of any kind: the ones that were taken first, and that drop rarely. */
  short(): string {
    return this.characters(this.random.pick([2, 3, 3, 3, 4, 4, 4, 4, 4]), LETTERS_AND_DIGITS);
  }

  number(): string {
    return this.characters(this.random.pick([2, 3, 4, 5, 6, 8]), '0123456789');
  }

  private characters(length: number, alphabet: string): string {
    return Array.from({ length }, () => alphabet.charAt(this.random.nextIndex(alphabet.length))).join('');
  }

  private joint(): string {
    return this.random.chance(0.2) ? '-' : '';
  }

  private numbered(label: string): string {
    const { random } = this;
    if (!random.chance(0.05)) return label;
    const digits = random.pick([
      '1',
      '2',
      '3',
      '4u',
      '24',
      '24',
      '247',
      '360',
      '365',
      '4x4',
      '2go',
      '99',
      '101',
      '2000',
    ]);
    return random.chance(0.25) ? digits + label : [label, digits].join(this.joint());
  }
}

// Shares chosen so that lengths, hyphens and digits lie where those of real deletion lists do; the spec compares them.
const KINDS = new WeightedChoice<(maker: LabelMaker) => string>([
  [(maker) => maker.compound(), 26],
  [(maker) => maker.local(), 12],
  [(maker) => maker.branded(), 18],
  [(maker) => maker.invented(), 42],
  [(maker) => maker.short(), 1.6],
  [(maker) => maker.number(), 0.4],
]);

const LETTERS_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz0123456789';
const SHORTEST_INVENTED = 4;
const MAX_INVENTED_LENGTH = 18;
const END = '$';

/**
 * Which letter follows which two, counted over the letters of 102,000 names of a country registry's deletion lists. A
 * word for two letters: those two (`^` is before the beginning), then pairs of a next letter (`$`: the end) and its
 * weight as one base-36 digit.
 */
const NEXT_LETTER: ReadonlyMap<string, WeightedChoice<string>> = new Map(
  readWords('letter-statistics.txt').map((entry) => [entry.slice(0, 2), weightsOf(entry.slice(2))]),
);

function weightsOf(pairs: string): WeightedChoice<string> {
  const letters = pairs.match(/../g) ?? [];
  return new WeightedChoice(letters.map((pair) => [pair.charAt(0), parseInt(pair.charAt(1), 36)] as const));
}

/**
 * Remembers names by 53 bits of hash each, so that ten million cost 160 MB and not a gigabyte of strings. Two names
 * with one hash count as the same: of ten million names one in about a hundred runs would be lost, and the run stays
 * the same.
 */
class NameSet {
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

/** Words that Australian businesses call themselves by; compounds of made-up names are built from them. */
const WORDS = readWords('business-words.txt');

/** Places that businesses name themselves after. */
const PLACES = readWords('place-names.txt');

function readWords(file: string): string[] {
  return readFileSync(join(PROJECT_FOLDER, 'assets', file), 'utf8')
    .trim()
    .split(/\s+/);
}
