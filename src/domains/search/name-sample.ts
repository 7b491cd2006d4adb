import type { Suffix } from '../schema/domain.js';
import type { KnownName } from '../schema/filters/filter.js';
import {
  isKnownToCells,
  knownInMemory,
  type NameFilter,
  NO_LIMITS,
  unknownToCells,
  withImplied,
} from '../schema/filters/filters.js';
import { lowerLimitOf, SCORE_TIERS } from '../schema/filters/score-bands.js';
import { wilsonShare } from '../truth/sample-plan.js';
import type { CellShares } from './cube/cell-shares.js';
import type { FacetRow, NameCount } from './discovery-query.js';
import { shapesOf, WORD_CODES } from '../schema/filters/word-traits.js';
import type { TraitLookup } from './name-traits.js';
import { charactersIn, GRAM_LENGTHS, gramOfSuffix, markPattern, START } from './pattern-grams.js';
import { type Hits, SampledNames } from './sampled-names.js';

// To plan. A look at a name takes a quarter of a microsecond, and a question is planned by several.
const MAX_LOOKS = 2_000;
const MAX_MEASURED = 300;
/** The share of all names weighs as much as so many names of the sample. */
const PRIOR_NAMES = 1;

// To count.
/** Fewer names that pass say too little: the names are counted then. */
const MIN_HITS = 25;
/** So many tell a count to a twentieth, and more would only take longer. */
const ENOUGH_HITS = 2_000;
/** Up to here a count is exact, and wherever there are no more names than the second. */
const MAX_EXACT = 1_000;
const MAX_SMALL = 20_000;

/**
 * A hundred thousand names drawn at random. They tell how common a pattern is and how many names pass a filter. An
 * estimate for a pattern decides how a question is asked, and never changes its answer.
 */
export class NameSample {
  /** How many names each of {@link SCORE_TIERS} has. */
  readonly tierSizes: readonly number[];

  constructor(
    private readonly names: SampledNames,
    /** Names that search can find, in the whole dataset. */
    readonly total: number,
    /** Counts over all of them. */
    readonly cells: CellShares,
  ) {
    this.tierSizes = SCORE_TIERS.map((tier) => total * (names.countScores(tier) / Math.max(1, names.size)));
  }

  /** The first of the sample, which are as good as any. */
  firstNames(count: number): string[] {
    return Array.from({ length: Math.min(count, this.names.size) }, (_, place) => this.names.nameAt(place));
  }

  /** Share of names that begin with a character from the first to the last. */
  shareOfInitials(range: readonly [string, string]): number {
    return charactersIn(range).reduce((sum, initial) => sum + this.shareOf(START + initial), 0);
  }

  /** Share that stands for "none of the sample": there may be some in the dataset all the same. */
  get leastShare(): number {
    return 1 / (2 * this.size);
  }

  /** Share of names that have the gram, 0 to 1 and never none. @param gram at most four characters, or a suffix's */
  shareOf(gram: string): number {
    return Math.max(this.leastShare, this.names.having(gram).length / this.size);
  }

  /** Share of names that have one of the words. */
  shareOfWords(codes: readonly number[]): number {
    return Math.max(this.leastShare, this.names.words.having(codes).length / this.size);
  }

  /** Share of names that have one of the codes. */
  shareOfTrait({ codes, asks: { initials, ...asks }, isOfWords }: TraitLookup): number {
    const { suffixes = [], minLength = 0, maxLength = Infinity } = asks;
    const counted = codesOfShapes(asks) ?? (isOfWords && asks.pattern !== undefined ? codes : null);
    if (!counted) {
      const first = initials ? this.shareOfInitials(initials) : 1;
      return Math.max(this.leastShare, first * this.shareOfFilter({ ...NO_LIMITS, ...asks }));
    }
    const names = initials
      ? sumWithin(this.names.countsOf(counted, 'initials'), ...initials)
      : sumWithin(this.names.countsOf(counted, 'lengths'), minLength, maxLength);
    return Math.max(this.leastShare, (names / this.size) * this.shareOfSuffixes(suffixes));
  }

  /** The share of each initial among the names that a filter of words lets through. */
  initialsOf(filter: NameFilter): (initial: string) => number {
    const shareOfAll = (initial: string) => this.shareOf(START + initial);
    const shapes = codesOfShapes(filter);
    if (!shapes) return shareOfAll;
    const counts = this.names.countsOf(shapes, 'initials');
    const all = sumWithin(counts, '-', 'z');
    return (initial) =>
      ((counts.get(initial) ?? 0) + PRIOR_NAMES * shareOfAll(initial)) / (all + PRIOR_NAMES);
  }

  shareOfSuffixes(suffixes: readonly Suffix[]): number {
    return suffixes.length === 0
      ? 1
      : suffixes.reduce((sum, suffix) => sum + this.shareOf(gramOfSuffix(suffix)), 0);
  }

  /** Share of names that have the keyword. */
  shareOfKeyword({ q = '', mode }: NameFilter): number {
    if (q === '') return 1;
    const pattern = markPattern(q, mode);
    if (pattern.length <= GRAM_LENGTHS.long) return this.shareOf(pattern);
    const found = this.names.look({ ...NO_LIMITS, q, mode }, { looks: MAX_LOOKS });
    return Math.max(this.leastShare, shareOf(found));
  }

  /** How many names of each length have what the cells do not know: some of the sample's, where it has many. */
  lengthsOf(filter: NameFilter): ReadonlyMap<number, number> {
    const unknown = unknownToCells(filter);
    const shapes = codesOfShapes(unknown);
    if (shapes && filter.q === undefined) return this.names.countsOf(shapes, 'lengths');
    const lengths = new Map<number, number>();
    this.names.look(unknown, { looks: MAX_LOOKS, hits: MAX_MEASURED }, ({ name: { length } }) =>
      lengths.set(length, (lengths.get(length) ?? 0) + 1),
    );
    return lengths;
  }

  /**
   * Share of names that pass the filter. Without a keyword the cells say it. With one, the names of the sample that have
   * its rarest gram do; where none passes, keyword and cells are taken for independent but for what the keyword implies.
   */
  shareOfFilter(filter: NameFilter): number {
    if (isKnownToCells(filter)) return this.cells.shareOf(filter);
    const found = this.names.look(knownInMemory(filter), { looks: MAX_LOOKS });
    if (found.hits > 0) return Math.max(this.leastShare, shareOf(found));
    const { q, mode } = filter;
    const implied = withImplied({ ...NO_LIMITS, q, mode });
    const among =
      this.cells.shareOf(filter) / Math.max(this.leastShare, implied ? this.cells.shareOf(implied) : 0);
    const apart = this.shareOfKeyword(filter) * Math.min(1, among);
    return Math.min(apart, 1 / Math.max(1, found.seen));
  }

  /**
   * How many names of the dataset pass; null where they are to be counted, as too few do.
   *
   * @param pass sees each of the sample that passes
   */
  estimate(filter: NameFilter, pass?: (name: KnownName) => void): NameCount | null {
    const candidates = this.names.shortestList(filter)?.length ?? this.size;
    if (this.total <= MAX_SMALL || candidates < MIN_HITS) return null;
    const { hits, counted } = this.count(filter, pass);
    return hits >= MIN_HITS && counted.low >= MAX_EXACT ? counted : null;
  }

  /** The same where they could not be counted in time. */
  guess(filter: NameFilter): NameCount {
    return this.count(filter).counted;
  }

  /** The count, and what the names that pass are like, by all that the cube tells apart. */
  estimateFacets(filter: NameFilter): { counted: NameCount; facets: FacetRow[] } | null {
    const found: Omit<FacetRow, 'names'>[] = [];
    const counted = this.estimate(filter, (name) => found.push(facetsOf(name)));
    if (!counted) return null;
    const namesOf = (hits: number) => Math.max(1, Math.round((hits / found.length) * counted.total));
    const facets = FACETS.flatMap((field) => {
      const counts = new Map<unknown, number>();
      for (const { [field]: value } of found) counts.set(value, (counts.get(value) ?? 0) + 1);
      return Array.from(counts, ([value, hits]) => ({ ...NO_VALUE, [field]: value, names: namesOf(hits) }));
    });
    return { counted, facets };
  }

  private get size(): number {
    return Math.max(1, this.names.size);
  }

  private count(filter: NameFilter, pass?: (name: KnownName) => void): { hits: number; counted: NameCount } {
    const { hits, seen } = this.names.look(filter, { hits: ENOUGH_HITS }, pass);
    const { share = 0, low = 0, high = 1 } = wilsonShare(hits, seen) ?? {};
    const of = (part: number) => Math.round(part * this.total);
    return { hits, counted: { total: of(share), low: of(low), high: of(high), isExact: false } };
  }
}

function codesOfShapes(filter: Partial<NameFilter>): number[] | undefined {
  return shapesOf(filter)?.map((shape) => WORD_CODES.alone + shape);
}

function sumWithin<Value extends number | string>(
  counts: ReadonlyMap<Value, number>,
  from: Value,
  to: Value,
): number {
  let sum = 0;
  for (const [value, names] of counts) if (value >= from && value <= to) sum += names;
  return sum;
}

function shareOf({ hits, seen }: Hits): number {
  return hits / Math.max(1, seen);
}

const NO_VALUE = { tld: null, length: null, hyphens: null, numbers: null, score: null, month: null };

const FACETS = Object.keys(NO_VALUE) as (keyof typeof NO_VALUE)[];

function facetsOf({ name, tld, wayback, firstSeen }: KnownName): Omit<FacetRow, 'names'> {
  return {
    ...{ tld, length: name.length, hyphens: name.includes('-'), numbers: /\d/.test(name) },
    ...{ score: lowerLimitOf(wayback), month: firstSeen?.slice(0, 7) ?? null },
  };
}
