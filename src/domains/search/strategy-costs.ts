import type { RangeKey } from '../schema/filters/filter.js';
import { asksFor, isExplained, NO_LIMITS, type NameFilter } from '../schema/filters/filters.js';
import { holdsScores, SCORE_BANDS } from '../schema/filters/score-bands.js';
import { BY_RANK, type DiscoveryQuery, isCommon, leastLength, type SortOrder } from './discovery-query.js';
import { type LengthParts, partsByLength } from './length-parts.js';
import { fewOf, leastShareOf, shareOfLookup, shareOfTrait } from './lookup-shares.js';
import type { NameSample } from './name-sample.js';
import { readsUntil, shareByLength } from './order-reads.js';
import type { TraitLookup } from './name-traits.js';
import { type GramLookup, gramOfSuffix, markPattern } from './pattern-grams.js';

/** Grams and traits to look up together. */
export interface ChosenLookup extends Omit<GramLookup, 'traits'> {
  readonly traits: readonly TraitLookup[];
}

/** Of names, that none is known of. */
const LEAST_SHARE = 1e-8;
const MAX_GRAMS = 3;
// The grams worth weighing against each other; the others of a long pattern are more common.
const MAX_CANDIDATES = 8;

// Measured on ten million names in memory, in µs: entering an index for one gram, decoding one entry of a posting list,
// reading one name from the table to compare and sort it, reading one name from an index to compare it.
const LOOKUP_US = 8;
const ENTRY_US = 0.012;
const NAME_US = 1.2;
const RANKED_NAME_US = 0.25;
// Reading one name from the table where those before and after it lie elsewhere.
const SCATTERED_NAME_US = 3;
// Keeping one name until all are counted.
const KEPT_NAME_US = 0.2;
// Skipping to the values of columns that are not asked for.
const SKIPS_US = 1_500;
const ENTRIES_PER_PAGE = 7_000;

/** What names are read for: the first in an order, any of those that match, or all of them. */
export type Purpose = 'first' | 'any' | 'all';

/** What each way to ask one question would cost, in µs. */
export class StrategyCosts {
  private readonly patternShare: number;
  /** Share of names that are as the pattern and the wording have it. */
  private readonly wordedShare: number;
  private readonly suffixShare: number;
  /** Share of all names that the answer is taken from. */
  private readonly matchShare: number;
  /** Sizes of the bands that hold scores asked for, in the order in which they are scanned. */
  private readonly bands: readonly number[];
  /** Whether the bands may be left as soon as enough names were found. */
  private readonly endsEarly: boolean;
  private readonly wanted: number;

  constructor(
    private readonly query: DiscoveryQuery,
    private readonly sample: NameSample,
    private readonly purpose: Purpose = 'first',
  ) {
    const { q = '', mode, suffixes, minWayback, maxWayback, sort = BY_RANK } = query;
    this.patternShare = q === '' ? 1 : sample.shareOfPattern(markPattern(q, mode));
    const offered = shareOffered(query);
    this.suffixShare =
      suffixes.length === 0
        ? 1
        : suffixes.reduce((sum, suffix) => sum + sample.shareOf(gramOfSuffix(suffix)), 0);
    // The common question is judged by what has been counted before: no name of the sample is looked at.
    this.matchShare = isCommon(query)
      ? this.patternShare * this.suffixShare
      : Math.max(LEAST_SHARE, offered * sample.shareOfFilter(query));
    // With its other limits, so as not to look at the sample twice: an order is then read a little less readily.
    this.wordedShare = isExplained(query) ? this.matchShare : this.patternShare;
    const bands = sample.bandSizes.filter((_, place) => {
      const band = SCORE_BANDS[place];
      return band !== undefined && holdsScores(band, minWayback, maxWayback);
    });
    this.bands = sort.direction === 'desc' ? bands : bands.toReversed();
    this.endsEarly = purpose === 'any' || (purpose === 'first' && sort.key === 'wayback');
    this.wanted = query.limit + (query.offset ?? 0);
  }

  /** The lookup of grams whose posting lists are worth reading, the rarest first. @param given not a matter of choice */
  chooseGrams(candidates: readonly string[], given: Pick<ChosenLookup, 'some' | 'traits'>): ChosenLookup {
    const isGiven = given.some.length > 0 || given.traits.length > 0;
    const rarest = candidates
      .toSorted((one, other) => this.sample.shareOf(one) - this.sample.shareOf(other))
      .slice(0, MAX_CANDIDATES);
    let best: ChosenLookup = { ...given, every: isGiven ? [] : rarest.slice(0, 1) };
    while (best.every.length < MAX_GRAMS) {
      const { every } = best;
      const next = rarest
        .filter((gram) => !every.includes(gram))
        .map((gram) => ({ ...given, every: [...every, gram] }))
        .reduce((cheapest, other) => (this.ofBands(other) < this.ofBands(cheapest) ? other : cheapest), best);
      if (next === best) break;
      best = next;
    }
    return best;
  }

  /** The lookup with those traits whose lists are worth reading. */
  chooseTraits(lookup: ChosenLookup, traits: readonly TraitLookup[]): ChosenLookup {
    return traits.reduce((best, trait) => {
      const narrower = { ...best, traits: [...best.traits, trait] };
      return this.ofBands(narrower) < this.ofBands(best) ? narrower : best;
    }, lookup);
  }

  /**
   * Those of the grams one of which a name has to have that most likely find as many names as are wanted, in the bands that all of them
   * would be looked up in; null where that takes too many. A list of its own is read at a fifth of what it takes to merge 37.
   */
  chooseFew(some: readonly string[]): readonly string[] | null {
    let [names, found] = [0, 0];
    for (const size of this.bands) {
      names += size;
      found += size * this.matchShare;
      if (found >= this.wanted) break;
    }
    if (found < this.wanted) return null;
    return fewOf(some, (this.wanted * this.patternShare) / (names * this.matchShare), this.sample);
  }

  /** Band by band, in the order of rank until enough names have matched; in any other order, all of them. */
  ofBands({ every, some, traits }: ChosenLookup): number {
    const traitShares = traits.map((trait) => shareOfTrait(trait, this.sample));
    const share = traitShares.reduce(
      (product, part) => product * part,
      shareOfLookup({ every, some }, this.sample, this.patternShare),
    );
    const shares = [...every.map((gram) => leastShareOf(gram, this.sample)), ...traitShares];
    const rarest = Math.min(...shares, some.length > 0 ? this.patternShare : 1);
    // A posting list is read by pages, and a page costs the same whether one of its entries is wanted or all.
    const entries = [...shares, ...(some.length > 0 ? [this.patternShare] : [])].reduce(
      (sum, listed) => sum + Math.min(listed, rarest * ENTRIES_PER_PAGE),
      0,
    );
    const lists = traits.reduce((sum, { codes }) => sum + codes.length, every.length + some.length);
    let cost = this.countingAll;
    let found = 0;
    for (const size of this.bands) {
      const matching = size * this.matchShare;
      // To be sorted, all of a band are read; to be counted, those that are needed.
      const part = this.purpose === 'any' ? Math.min(1, (this.wanted - found) / Math.max(1, matching)) : 1;
      cost += lists * LOOKUP_US + size * (entries * ENTRY_US + part * share * NAME_US);
      found += matching;
      if (this.endsEarly && found >= this.wanted) break;
    }
    return cost;
  }

  /** In the order asked for, from where the filter lets it begin to where it ends, until enough names have matched. */
  ofOrder(): number {
    const { sort = BY_RANK } = this.query;
    const hasDays = sort.key === 'first_seen' || sort.key === 'domain';
    const isInTable = (!hasDays && asksFor('firstSeen', this.query)) || this.asksForTimes;
    return LOOKUP_US + this.readInOrder(sort) * (isInTable ? SCATTERED_NAME_US : RANKED_NAME_US);
  }

  /** All names within the filter's limits for one column, gathered and sorted; where they are counted, until there are enough. */
  ofRange(key: RangeKey): number {
    const { sort = BY_RANK } = this.query;
    const hasDays = key === 'first_seen' || key === 'shape' || key === 'domain';
    const needsDays =
      asksFor('firstSeen', this.query) || (this.purpose !== 'any' && sort.key === 'first_seen');
    const isInTable = (needsDays && !hasDays) || this.asksForTimes;
    const share = this.shareWithin(key);
    const read = this.purpose === 'any' ? this.readWithin(share) : this.sample.total * share;
    const skips = key === 'shape' || key === 'first_seen' ? SKIPS_US : 0;
    return this.countingAll + LOOKUP_US + skips + read * (isInTable ? SCATTERED_NAME_US : RANKED_NAME_US);
  }

  /** The names that pass, by way of their shape and part by part; null where the order is another than that of lengths. */
  partsOfShape(): LengthParts | null {
    const { cells } = this.sample;
    if (!cells || this.purpose !== 'first' || this.query.sort?.key !== 'length') return null;
    return partsByLength(this.query, cells, this.wordedShare, this.wanted, this.lengths);
  }

  ofParts({ looks, read }: LengthParts): number {
    return looks * SKIPS_US + read * (this.asksForTimes ? SCATTERED_NAME_US : RANKED_NAME_US);
  }

  private readInOrder({ key, direction }: SortOrder): number {
    const { cells } = this.sample;
    if (cells && !isCommon(this.query) && (key === 'length' || key === 'wayback')) {
      const filter = { ...this.query, minLength: leastLength(this.query) };
      const values = cells.countBy(key === 'length' ? 'length' : 'score', filter);
      const share =
        key === 'length'
          ? shareByLength(filter, this.wordedShare, cells.lengths, this.lengths)
          : () => Math.max(LEAST_SHARE, this.wordedShare);
      return readsUntil(this.wanted, direction === 'asc' ? values : values.toReversed(), share);
    }
    if (key === 'domain') return this.readWithin(1);
    if (key === 'first_seen') return this.readWithin(this.shareWithin(key));
    const inBands = this.bands.reduce((sum, size) => sum + size, 0) / this.sample.total;
    if (!isCommon(this.query)) return this.readWithin(inBands * this.suffixShare);
    // The share of a pattern knows nothing of the score, so the names above the floor match as often as all do.
    return Math.min(this.sample.total * inBands * this.suffixShare, this.wanted / this.patternShare);
  }

  private get lengths(): number[] {
    return this.query.q === undefined ? [] : this.sample.lengthsOf(this.query);
  }

  /** Every name that passes is kept until they are counted. */
  private get countingAll(): number {
    return this.purpose === 'all' ? this.sample.total * this.matchShare * KEPT_NAME_US : 0;
  }

  private get asksForTimes(): boolean {
    return this.query.confirmedSince !== undefined;
  }

  /** Names that are read of a part of all, until enough have matched: the names that match are all in it. */
  private readWithin(share: number): number {
    return Math.min(this.sample.total * share, this.wanted * Math.max(1, share / this.matchShare));
  }

  /** Share of names within the filter's limits for what an index begins with. */
  private shareWithin(key: RangeKey): number {
    const { maxLength, firstSeenFrom, firstSeenTo, minWayback, maxWayback, suffixes, hyphens, numbers } =
      this.query;
    const scores = { minWayback, maxWayback };
    const days = { firstSeenFrom, firstSeenTo };
    const lengths = { minLength: leastLength(this.query), maxLength };
    const limits: Record<RangeKey, Partial<NameFilter>> = {
      wayback: { ...scores, suffixes },
      length: { ...lengths, ...scores },
      first_seen: { ...days, ...scores },
      shape: { ...lengths, ...days, suffixes, hyphens, numbers },
      domain: {},
    };
    if (key === 'domain') return Math.max(this.sample.leastShare, this.patternShare);
    return Math.max(LEAST_SHARE, this.sample.shareOfFilter({ ...NO_LIMITS, ...limits[key] }));
  }
}

/** How many of the labels on offer under one suffix are so under another: a guess, as nobody counts it. */
const SHARE_UNDER_ANOTHER = 0.02;

function shareOffered({ offeredUnder = [] }: NameFilter): number {
  return SHARE_UNDER_ANOTHER ** Math.max(0, offeredUnder.length - 1);
}
