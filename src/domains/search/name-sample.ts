import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CellShares } from './cube/cell-shares.js';
import type { KnownName } from '../schema/filters/filter.js';
import {
  isExplained,
  knownInMemory,
  matcherOf,
  type NameFilter,
  NO_LIMITS,
} from '../schema/filters/filters.js';
import { markedLiterals } from '../schema/filters/glob.js';
import { SCORE_BANDS } from '../schema/filters/score-bands.js';
import { GRAM_LENGTHS, gramOfSuffix, gramsOf, markName, markPattern } from './pattern-grams.js';

// A look at a name takes a quarter of a microsecond, and a question is planned by several: with all 13,000 names
// that have an `a` planning took 14 ms, and 45 where lengths were asked for as well.
const MAX_LOOKED_AT = 2_000;
const MAX_MEASURED = 300;
/** Fewer names of a sample say little of how many there are. */
const MIN_PASSING = 20;
/** As many names of the sample the prior of a second gram weighs as much as. */
const PRIOR_NAMES = 1;
// Indexing 20,000 names at once would hold up requests for 0.2 s.
const NAMES_PER_TURN = 500;

/**
 * Some thousand names drawn at random, with an index of their grams: how common a pattern is in the whole dataset,
 * found in microseconds. It only decides which way a question is asked; the answer is the same either way, however
 * old or unlucky the sample is.
 */
export class NameSample {
  private readonly names: KnownName[] = [];
  private readonly marked: string[] = [];
  /** For each gram of up to four characters, and each suffix's, the places in `marked` that have it, rising. */
  private readonly places = new Map<string, number[]>();
  private readonly everyPlace: number[] = [];
  private readonly bandCounts = SCORE_BANDS.map(() => 0);

  private constructor(
    readonly total: number,
    /** Counts over all names; null: there are none. */
    readonly cells: CellShares | null,
  ) {}

  /**
   * @param total names that discovery can find, in the whole dataset
   * @param cells counts over all of them; null: the sample stands in for the counts
   */
  static async of(
    names: readonly KnownName[],
    total: number,
    cells: CellShares | null = null,
  ): Promise<NameSample> {
    const sample = new NameSample(total, cells);
    for (let start = 0; start < names.length; start += NAMES_PER_TURN) {
      for (const name of names.slice(start, start + NAMES_PER_TURN)) sample.add(name);
      await nextTurn();
    }
    return sample;
  }

  /** The first of the sample, which are as good as any. */
  firstNames(count: number): string[] {
    return this.names.slice(0, count).map(({ name }) => name);
  }

  /** How many names discovery can find in each band, from the top. */
  get bandSizes(): readonly number[] {
    return this.cells?.bandSizes ?? this.bandCounts.map((count) => (count / this.size) * this.total);
  }

  /** Share of names that have the gram, 0 to 1. @param gram at most four characters */
  shareOf(gram: string): number {
    return this.placesOf(gram).length / this.size;
  }

  /** Share of names that have both grams. */
  shareOfBoth(gram: string, other: string): number {
    return countCommon(this.placesOf(gram), this.placesOf(other)) / this.size;
  }

  /** The same, where none of the sample has it: some of all names may have it. */
  leastShareOf(gram: string): number {
    return Math.max(this.leastShare, this.shareOf(gram));
  }

  /**
   * Share of the names with a gram that have another one as well. Few of the sample have a rare gram, and which of
   * them the other is luck: they weigh against a prior. Grams of one pattern come together more often than by
   * chance, so that is the root of the other's share.
   */
  shareAmong(rarest: string, gram: string): number {
    const prior = PRIOR_NAMES * this.nameShare;
    const both = this.shareOfBoth(rarest, gram) + prior * Math.sqrt(this.leastShareOf(gram));
    return both / (this.shareOf(rarest) + prior);
  }

  /** Share of names that match the pattern. */
  shareOfPattern(markedPattern: string): number {
    if (markedPattern.length <= GRAM_LENGTHS.long) return this.shareOf(markedPattern);
    const rarest = gramsOf(markedPattern, GRAM_LENGTHS.long)
      .map((gram) => this.placesOf(gram))
      .reduce((best, next) => (next.length < best.length ? next : best));
    return rarest.filter((place) => this.marked[place]?.includes(markedPattern)).length / this.size;
  }

  /** How long names are that match the pattern: some of the sample's, where it has many. */
  lengthsOf({ q = '', mode }: NameFilter): number[] {
    const filter = { ...NO_LIMITS, q, mode };
    const { names } = this.someThatMayMatch(filter, MAX_MEASURED);
    const matches = matcherOf(filter);
    return names.flatMap((name) => (matches(name) ? name.name.length : []));
  }

  /**
   * Share of names that pass the filter. Without a pattern the cells say it in 0.05 ms; with one, the names of the
   * sample are looked at that have its rarest gram, and where hardly any passes, pattern and cells are taken to
   * have nothing to do with each other.
   */
  shareOfFilter(filter: NameFilter): number {
    if (this.cells && filter.q === undefined && !isExplained(filter)) return this.cells.shareOf(filter);
    const { names, part } = this.someThatMayMatch(filter, MAX_LOOKED_AT);
    const passing = names.filter(matcherOf(knownInMemory(filter))).length;
    if (!this.cells || passing >= MIN_PASSING) return Math.max(this.leastShare, passing / part / this.size);
    const pattern = this.shareOfPattern(markPattern(filter.q ?? '', filter.mode));
    return Math.max(this.leastShare, pattern) * this.cells.shareOf(filter);
  }

  /**
   * Names from all over the sample that have the rarest gram asked for, and which part of all that have it they
   * are.
   */
  private someThatMayMatch(filter: NameFilter, max: number): { names: KnownName[]; part: number } {
    const all = this.mayMatch(filter);
    const step = Math.max(1, all.length / max);
    const count = Math.floor(all.length / step);
    const places = Array.from({ length: count }, (_, place) => all[Math.floor(place * step)] ?? 0);
    return {
      names: places.flatMap((place) => this.names[place] ?? []),
      part: all.length === 0 ? 1 : count / all.length,
    };
  }

  /** The places of the names that have the rarest gram asked for; of all where none is. */
  private mayMatch({ q = '', mode, glob }: NameFilter): readonly number[] {
    const patterns = [...(q === '' ? [] : [markPattern(q, mode)]), ...markedLiterals({ glob })];
    const [first, ...others] = patterns.flatMap((pattern) =>
      gramsOf(pattern, Math.min(pattern.length, GRAM_LENGTHS.long)).map((gram) => this.placesOf(gram)),
    );
    if (!first) return this.everyPlace;
    return others.reduce((best, next) => (next.length < best.length ? next : best), first);
  }

  /** Share that stands for "none of the sample": there may be some in the dataset all the same. */
  get leastShare(): number {
    return this.nameShare / 2;
  }

  /** Share of all names that one of the sample stands for. */
  get nameShare(): number {
    return 1 / this.size;
  }

  private get size(): number {
    return Math.max(1, this.marked.length);
  }

  private placesOf(gram: string): number[] {
    return this.places.get(gram) ?? [];
  }

  private add(sampled: KnownName): void {
    const { name, tld, wayback } = sampled;
    this.names.push(sampled);
    const marked = markName(name);
    const place = this.marked.push(marked) - 1;
    this.everyPlace.push(place);
    const band = SCORE_BANDS.findIndex(({ from }) => wayback >= from);
    this.bandCounts[band] = (this.bandCounts[band] ?? 0) + 1;
    this.addPlace(gramOfSuffix(tld), place);
    for (let length = 1; length <= GRAM_LENGTHS.long; length += 1)
      for (const gram of gramsOf(marked, length)) this.addPlace(gram, place);
  }

  private addPlace(gram: string, place: number): void {
    const places = this.places.get(gram);
    if (!places) this.places.set(gram, [place]);
    // A gram that the name has twice.
    else if (places.at(-1) !== place) places.push(place);
  }
}

/** How many places two rising lists have in common. */
function countCommon(one: readonly number[], other: readonly number[]): number {
  let common = 0;
  let at = 0;
  for (const place of one) {
    while (at < other.length && (other[at] ?? 0) < place) at += 1;
    if (other[at] === place) common += 1;
  }
  return common;
}
