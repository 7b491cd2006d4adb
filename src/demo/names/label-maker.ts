import { LETTER_STATISTICS } from './letter-statistics.js';
import { type Random, WeightedChoice } from './random.js';
import { PLACES, WORDS } from './words.js';

/**
 * Makes up labels that look like those people register: compounds of words, words that never were, either with a place, a
 * number or hyphens, and a few very short ones. Not every label is a valid one, and the same may come twice.
 */
export class LabelMaker {
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

const NEXT_LETTER: ReadonlyMap<string, WeightedChoice<string>> = new Map(
  LETTER_STATISTICS.trim()
    .split(/\s+/)
    .map((entry) => [entry.slice(0, 2), weightsOf(entry.slice(2))]),
);

function weightsOf(pairs: string): WeightedChoice<string> {
  const letters = pairs.match(/../g) ?? [];
  return new WeightedChoice(letters.map((pair) => [pair.charAt(0), parseInt(pair.charAt(1), 36)] as const));
}
