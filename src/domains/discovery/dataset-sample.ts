import type { Suffix } from '../domain.js';
import { SCORE_BANDS } from './score-bands.js';

export interface SampledName {
  readonly name: string;
  readonly tld: Suffix;
  readonly wayback: number;
}

const SEPARATOR = '\n';

/**
 * What a few thousand names drawn at random tell of all of them: how common a piece or a pattern is, and how the scores
 * lie. It only decides which way a question is asked; the answer is the same either way, however old the sample.
 */
export class DatasetSample {
  private readonly size: number;
  private readonly text: string;
  private readonly gramCounts = new Map<string, number>();
  private readonly suffixCounts = new Map<Suffix, number>();
  private readonly bandShares: readonly number[];

  /** @param total names that discovery can find, in the whole dataset */
  constructor(
    names: readonly SampledName[],
    private readonly total: number,
  ) {
    this.size = Math.max(1, names.length);
    this.text = names.map(({ name }) => `^${name}$`).join(SEPARATOR);
    for (const { name, tld } of names) {
      increment(this.suffixCounts, tld);
      for (const gram of piecesOf(`^${name}$`)) increment(this.gramCounts, gram);
    }
    this.bandShares = SCORE_BANDS.map(({ from, to }) => {
      const inBand = names.filter(({ wayback }) => wayback >= from && (to === null || wayback <= to));
      return inBand.length / this.size;
    });
  }

  /** Share of names that have the piece, 0 to 1. */
  shareOfGram(gram: string): number {
    return (this.gramCounts.get(gram) ?? 0) / this.size;
  }

  /** Share of names under any of the suffixes; all names when none is given. */
  shareOfSuffixes(suffixes: readonly Suffix[]): number {
    if (suffixes.length === 0) return 1;
    return suffixes.reduce((sum, suffix) => sum + (this.suffixCounts.get(suffix) ?? 0), 0) / this.size;
  }

  /** Share of names that the marked pattern matches. Takes 0.1 to 0.2 ms, so it is asked only where pieces do not decide. */
  shareOfPattern(markedPattern: string): number {
    if (markedPattern === '') return 1;
    let matches = 0;
    for (let at = this.text.indexOf(markedPattern); at !== -1; at = this.text.indexOf(markedPattern, at)) {
      matches += 1;
      // A name counts once, however often the pattern lies in it.
      const end = this.text.indexOf(SEPARATOR, at);
      if (end === -1) break;
      at = end;
    }
    return matches / this.size;
  }

  /**
   * How many matching names the bands hold that a walk from the top visits until it has found `limit`, when `share` of
   * the names match.
   */
  matchesVisited(share: number, limit: number): number {
    let matches = 0;
    for (const bandShare of this.bandShares) {
      matches += bandShare * share * this.total;
      if (matches >= limit) break;
    }
    return matches;
  }
}

function piecesOf(marked: string): Set<string> {
  const pieces = new Set<string>();
  for (let at = 0; at < marked.length - 1; at += 1) {
    pieces.add(marked.slice(at, at + 2));
    if (at < marked.length - 2) pieces.add(marked.slice(at, at + 3));
  }
  return pieces;
}

function increment<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
