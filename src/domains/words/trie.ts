// Words as a flat trie: each node with children has 26 places for them, so a step is one look into an array.

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
    let leaves = 0;
    for (const [at, word] of sorted.entries()) {
      nodes += word.length - commonLength(sorted[at - 1] ?? '', word);
      if (isLeaf(word, sorted[at + 1])) leaves += 1;
    }
    // Leaves are numbered behind all others, so that they need no places for children: a third of the memory.
    this.children = new Int32Array((nodes - leaves) * LETTERS);
    this.costs = new Float32Array(nodes).fill(Infinity);
    let next = 1;
    let nextLeaf = nodes - leaves;
    for (const [at, word] of sorted.entries()) {
      const last = isLeaf(word, sorted[at + 1]) ? word.length - 1 : word.length;
      let node = 0;
      for (let letter = 0; letter < word.length; letter += 1) {
        const place = node * LETTERS + word.charCodeAt(letter) - FIRST;
        node = this.children[place] ?? 0;
        if (node === 0) {
          node = letter === last ? nextLeaf++ : next++;
          this.children[place] = node;
        }
      }
      this.costs[node] = words.get(word) ?? Infinity;
    }
  }

  /** In bits; Infinity for a text that is no word. */
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

  /**
   * Words within that distance, the nearest first. The walk leaves a branch as soon as it is too far away; from two errors
   * on, the first letter has to be right, as it nearly always is: all branches would take ten times as long.
   */
  near(text: string, maxDistance: number): Neighbour[] {
    const wanted = Uint8Array.from(text, (character) => character.charCodeAt(0) - FIRST);
    const rows = Array.from(
      { length: wanted.length + maxDistance + 2 },
      () => new Uint8Array(wanted.length + 1),
    );
    rows[0]?.forEach((_, place, row) => (row[place] = place));
    const path = new Uint8Array(rows.length);
    const found: Neighbour[] = [];
    const walk = (node: number, depth: number) => {
      const distance = at(rows[depth], wanted.length);
      if (distance <= maxDistance && (this.costs[node] ?? Infinity) < Infinity)
        found.push({ word: wordOf(path.subarray(0, depth)), distance });
      if (depth + 1 >= rows.length) return;
      for (let letter = 0; letter < LETTERS; letter += 1) {
        const child = this.children[node * LETTERS + letter] ?? 0;
        if (child === 0 || (depth === 0 && maxDistance > 1 && letter !== wanted[0])) continue;
        path[depth] = letter;
        if (step(wanted, path, depth + 1, rows) <= maxDistance) walk(child, depth + 1);
      }
    };
    walk(0, 0);
    return found.sort((one, other) => one.distance - other.distance);
  }

  private childOf(node: number, letter: number): number {
    return letter < 0 || letter >= LETTERS ? 0 : (this.children[node * LETTERS + letter] ?? 0);
  }
}

/**
 * Fills the row of distances between the text and the first letters of the path; neighbours may be swapped.
 * @returns the least of the row
 */
function step(text: Uint8Array, path: Uint8Array, depth: number, rows: readonly Uint8Array[]): number {
  const [row, above, twoAbove] = [rows[depth], rows[depth - 1], rows[depth - 2]];
  if (!row || !above) return Infinity;
  const letter = path[depth - 1];
  row[0] = depth;
  let least = depth;
  for (let place = 1; place < row.length; place += 1) {
    const isSame = text[place - 1] === letter;
    let distance = Math.min(
      at(row, place - 1) + 1,
      at(above, place) + 1,
      at(above, place - 1) + (isSame ? 0 : 1),
    );
    if (twoAbove && place > 1 && text[place - 2] === letter && text[place - 1] === path[depth - 2])
      distance = Math.min(distance, at(twoAbove, place - 2) + 1);
    row[place] = distance;
    if (distance < least) least = distance;
  }
  return least;
}

function wordOf(letters: Uint8Array): string {
  return String.fromCharCode(...letters.map((letter) => letter + FIRST));
}

/** Whether no longer word begins with it. */
function isLeaf(word: string, nextWord: string | undefined): boolean {
  return !nextWord?.startsWith(word);
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function at(row: Float64Array | Int16Array | Uint8Array | undefined, place: number): number {
  return row?.[place] ?? Infinity;
}
