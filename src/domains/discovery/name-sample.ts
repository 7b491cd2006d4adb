import type { Suffix } from '../domain.js';
import { allGramsOf, markName } from './pattern-grams.js';
import { SCORE_BANDS } from './score-bands.js';

export interface SampledName {
  readonly name: string;
  readonly tld: Suffix;
  readonly wayback: number;
}

/**
 * Some thousand names drawn at random, with an index of their pieces: how common a piece or a pattern is in the whole dataset,
 * found in microseconds. It only decides which way a question is asked; the answer is the same either way, however old or
 * unlucky the sample is.
 */
export class NameSample {
  private readonly marked: readonly string[];
  /** For each piece, and for each suffix as `.com.au`, the places in `marked` of the names that have it, rising. */
  private readonly places = new Map<string, number[]>();
  /** How many names discovery can find in each band, from the top. */
  readonly bandSizes: readonly number[];

  /** @param total names that discovery can find, in the whole dataset */
  constructor(
    names: readonly SampledName[],
    readonly total: number,
  ) {
    this.marked = names.map(({ name }) => markName(name));
    names.forEach(({ tld }, place) => {
      this.add(`.${tld}`, place);
      for (const gram of allGramsOf(this.marked[place] ?? '')) this.add(gram, place);
    });
    this.bandSizes = SCORE_BANDS.map(({ from, to }) => {
      const inBand = names.filter(({ wayback }) => wayback >= from && (to === null || wayback <= to));
      return (inBand.length / this.size) * total;
    });
  }

  get size(): number {
    return Math.max(1, this.marked.length);
  }

  /** Share of names that have the piece, 0 to 1. */
  shareOf(gram: string): number {
    return this.placesOf(gram).length / this.size;
  }

  /** Share of names that have both pieces. */
  shareOfBoth(gram: string, other: string): number {
    return intersect(this.placesOf(gram), this.placesOf(other)).length / this.size;
  }

  /** Share of names that match the pattern. @param gram the rarest of the pattern's pieces, if it has any */
  shareOfPattern(markedPattern: string, gram: string | undefined): number {
    const places = gram === undefined ? this.marked.keys() : this.placesOf(gram);
    let matches = 0;
    for (const place of places) if (this.marked[place]?.includes(markedPattern)) matches += 1;
    return matches / this.size;
  }

  private placesOf(gram: string): number[] {
    return this.places.get(gram) ?? [];
  }

  private add(gram: string, place: number): void {
    const places = this.places.get(gram);
    if (places) places.push(place);
    else this.places.set(gram, [place]);
  }
}

/** What two rising lists have in common. */
function intersect(one: readonly number[], other: readonly number[]): number[] {
  const common: number[] = [];
  let at = 0;
  for (const place of one) {
    while (at < other.length && (other[at] ?? 0) < place) at += 1;
    if (other[at] === place) common.push(place);
  }
  return common;
}
