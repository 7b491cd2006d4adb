import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { SUFFIXES } from '../../src/domains/schema/domain.js';

/** A name of known words. */
export interface MadeName {
  readonly domain: string;
  readonly wayback: number;
  /** The words that its label was made of. */
  readonly parts: readonly string[];
}

/** A question, and what its asker means: a name is relevant if it has a word of each list. */
export interface JudgedQuery {
  readonly q: string;
  readonly means: readonly (readonly string[])[];
}

const FOLDER = resolve(__dirname, '../words');
/** Of made names; the others are noise. */
const MEANT = 0.15;
/** Words that stand beside any other. */
const BESIDE = ['shop', 'repair', 'hire', 'school', 'clean', 'removal', 'centre'];
const PLACES = 16;
const ADJECTIVES = 'best my the quick local premier elite pro all easy smart first royal blue red big'.split(
  ' ',
);
const SYLLABLES = 'ka lo mi ven tor qui zan dra pel os ux ri bo fen sta gri mo nu va ti'.split(' ');

/** The lines of a file of `test/words`, without comments. */
export function linesOf(file: string): string[] {
  const lines = readFileSync(resolve(FOLDER, file), 'utf8').split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}

const CONCEPTS = new Map(
  linesOf('concepts.txt').map((line): [string, readonly string[]] => {
    const [concept = '', words = ''] = line.split(':');
    return [concept, words.trim().split(' ')];
  }),
);

export function readQueries(file: string): JudgedQuery[] {
  return linesOf(file).map((line) => {
    const [q = '', meant = ''] = line.split('|').map((part) => part.trim());
    return { q, means: meant.split(' & ').map((concept) => wordsOf(concept)) };
  });
}

function wordsOf(concept: string): readonly string[] {
  const words = CONCEPTS.get(concept);
  if (!words) throw new Error(`${concept} is no concept of test/words/concepts.txt`);
  return words;
}

export function isRelevant({ parts }: MadeName, { means }: JudgedQuery): boolean {
  return means.every((words) => words.some((word) => parts.includes(word)));
}

/** The same names for the same seed: one in seven of words that are asked for, the others of whatever. */
export function makeNames(count: number, seed: number): MadeName[] {
  const random = randomOf(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const concepts = [...CONCEPTS.keys()];
  const [trades, places] = [concepts.slice(0, -PLACES), concepts.slice(-PLACES)];
  const wordFor = (concept: string) => pick(wordsOf(concept));
  const meant = (): string[] => {
    const dice = random();
    const trade = wordFor(pick(trades));
    if (dice < 0.35) return [trade, wordFor(pick(places))];
    if (dice < 0.5) return [wordFor(pick(places)), trade];
    if (dice < 0.75) return [trade, wordFor(pick(BESIDE))];
    if (dice < 0.85) return [wordFor(pick(trades)), trade];
    if (dice < 0.95) return [pick(ADJECTIVES), trade, wordFor(pick([...places, ...BESIDE]))];
    return [trade];
  };
  const noise = (): string[] =>
    random() < 0.5
      ? [Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(SYLLABLES)).join('')]
      : [pick(ADJECTIVES), Array.from({ length: 3 }, () => pick(SYLLABLES)).join('')];
  const names = new Map<string, MadeName>();
  while (names.size < count) {
    const parts = random() < MEANT ? meant() : noise();
    const end = random() < 0.3 ? String(Math.floor(random() * 999)) : '';
    const domain = `${parts.join(random() < 0.1 ? '-' : '')}${end}.${pick(SUFFIXES)}`;
    const wayback = random() < 0.6 ? 0 : Math.floor(10 ** (random() * 3.5));
    names.set(domain, { domain, wayback, parts });
  }
  return [...names.values()];
}

function randomOf(seed: number): () => number {
  const next = fc.sample(fc.infiniteStream(fc.integer({ min: 0, max: 2 ** 30 - 1 })), {
    numRuns: 1,
    seed,
  })[0];
  if (!next) throw new Error('there are no random numbers');
  return () => Number(next.next().value) / 2 ** 30;
}
