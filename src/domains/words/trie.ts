// Words as a flat trie: each node has 26 places for its children, so a step is one look into an array.

const LETTERS = 26;
const FIRST = 'a'.charCodeAt(0);
const LONGEST = 64;

/** Bits for beginning a part that is no known word, and for each of its letters. */
const UNKNOWN = { begin: 15, letter: 4.7 };

/** A part of a text. */
export interface Piece {
  readonly text: string;
  readonly isKnown: boolean;
}

export interface Neighbour {
  readonly word: string;
  /** Letters to insert, delete, replace or swap. */
  readonly distance: number;
}

export class Trie {
  private readonly children: Int32Array;
  /** What a word costs that ends in the node, in bits; Infinity where none does. */
  private readonly costs: Float32Array;
  // One cut at a time, and each needs these.
  private readonly known = new Float64Array(LONGEST + 1);
  private readonly unknown = new Float64Array(LONGEST + 1);
  private readonly wordStart = new Int16Array(LONGEST + 1);
  private readonly unknownStart = new Int16Array(LONGEST + 1);

  /** @param words of the letters a-z, with their costs */
  constructor(words: ReadonlyMap<string, number>) {
    const sorted = [...words.keys()].sort();
    let nodes = 1;
    for (const [at, word] of sorted.entries())
      nodes += word.length - commonLength(sorted[at - 1] ?? '', word);
    this.children = new Int32Array(nodes * LETTERS);
    this.costs = new Float32Array(nodes).fill(Infinity);
    let next = 1;
    for (const word of sorted) {
      let node = 0;
      for (let at = 0; at < word.length; at += 1) {
        const place = node * LETTERS + word.charCodeAt(at) - FIRST;
        node = this.children[place] ?? 0;
        if (node === 0) {
          node = next++;
          this.children[place] = node;
        }
      }
      this.costs[node] = words.get(word) ?? Infinity;
    }
  }

  /** Bits; Infinity for what is no word. */
  costOf(word: string): number {
    let node = 0;
    for (let at = 0; at < word.length; at += 1) {
      node = this.childOf(node, word.charCodeAt(at) - FIRST);
      if (node === 0) return Infinity;
    }
    return this.costs[node] ?? Infinity;
  }

  /** The cheapest way to read the letters as words; parts that are none cost more. @param letters a-z, at most 64 */
  cut(letters: string): Piece[] {
    const length = Math.min(letters.length, LONGEST);
    this.weigh(letters, length);
    const pieces: Piece[] = [];
    for (let end = length; end > 0;) {
      const isKnown = at(this.known, end) <= at(this.unknown, end);
      const start = at(isKnown ? this.wordStart : this.unknownStart, end);
      pieces.push({ text: letters.slice(start, end), isKnown });
      end = start;
    }
    return pieces.reverse();
  }

  /** What the cheapest cut costs, in bits. */
  costOfCut(letters: string): number {
    const length = Math.min(letters.length, LONGEST);
    this.weigh(letters, length);
    return Math.min(at(this.known, length), at(this.unknown, length));
  }

  private weigh(letters: string, length: number): void {
    const { known, unknown, wordStart, unknownStart } = this;
    known.fill(Infinity, 0, length + 1);
    unknown.fill(Infinity, 0, length + 1);
    known[0] = 0;
    for (let start = 0; start < length; start += 1) {
      const here = at(known, start);
      const inside = at(unknown, start);
      const least = Math.min(here, inside);
      let node = 0;
      for (let end = start; end < length; end += 1) {
        node = this.childOf(node, letters.charCodeAt(end) - FIRST);
        if (node === 0) break;
        const cost = least + (this.costs[node] ?? Infinity);
        if (cost >= at(known, end + 1)) continue;
        known[end + 1] = cost;
        wordStart[end + 1] = start;
      }
      const begun = here + UNKNOWN.begin;
      unknown[start + 1] = Math.min(begun, inside) + UNKNOWN.letter;
      unknownStart[start + 1] = begun <= inside ? start : at(unknownStart, start);
    }
  }

  /** Words within that distance, the nearest first. The walk leaves a branch as soon as it is too far away. */
  near(text: string, maxDistance: number): Neighbour[] {
    const found: Neighbour[] = [];
    const first = Float64Array.from({ length: text.length + 1 }, (_, place) => place);
    const walk = (node: number, prefix: string, row: Float64Array, before: Float64Array | null) => {
      const distance = at(row, text.length);
      if (distance <= maxDistance && (this.costs[node] ?? Infinity) < Infinity)
        found.push({ word: prefix, distance });
      for (let letter = 0; letter < LETTERS; letter += 1) {
        const child = this.childOf(node, letter);
        if (child === 0) continue;
        const character = String.fromCharCode(FIRST + letter);
        const next = stepOf(text, prefix, character, row, before);
        if (Math.min(...next) <= maxDistance) walk(child, prefix + character, next, row);
      }
    };
    walk(0, '', first, null);
    return found.sort((one, other) => one.distance - other.distance);
  }

  private childOf(node: number, letter: number): number {
    return letter < 0 || letter >= LETTERS ? 0 : (this.children[node * LETTERS + letter] ?? 0);
  }
}

/** The next row of distances between the text and the prefix with one character more; neighbours may be swapped. */
function stepOf(
  text: string,
  prefix: string,
  character: string,
  row: Float64Array,
  before: Float64Array | null,
): Float64Array {
  const next = new Float64Array(row.length);
  next[0] = at(row, 0) + 1;
  for (let place = 1; place < row.length; place += 1) {
    const isSame = text[place - 1] === character;
    let least = Math.min(at(next, place - 1) + 1, at(row, place) + 1, at(row, place - 1) + (isSame ? 0 : 1));
    const isSwapped = place > 1 && text[place - 2] === character && text[place - 1] === prefix.at(-1);
    if (before && isSwapped) least = Math.min(least, at(before, place - 2) + 1);
    next[place] = least;
  }
  return next;
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function at(row: Float64Array | Int16Array, place: number): number {
  return row[place] ?? Infinity;
}
