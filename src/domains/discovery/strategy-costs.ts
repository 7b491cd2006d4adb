import { BY_RANK, type DiscoveryQuery, isCommon, type NameFilter } from './discovery-query.js';
import type { NameSample } from './name-sample.js';
import { type GramLookup, gramOfSuffix, markPattern } from './pattern-grams.js';
import { holdsScores, SCORE_BANDS } from './score-bands.js';

/** A column that an index begins with; `wayback` behind the suffix. */
export type RangeKey = 'wayback' | 'length' | 'first_seen';

const MAX_GRAMS = 3;
// The grams worth weighing against each other; the others of a long pattern are more common.
const MAX_CANDIDATES = 8;

// Measured on ten million names in memory, in µs: entering an index for one gram, decoding one entry of a posting list,
// reading one name from the table to compare and sort it, reading one name from the rank index to compare it.
const LOOKUP_US = 8;
const ENTRY_US = 0.012;
const NAME_US = 1.2;
const RANKED_NAME_US = 0.25;
const ENTRIES_PER_PAGE = 7_000;

const NO_LIMITS = { mode: 'contains', suffixes: [], minWayback: 0 } as const satisfies NameFilter;

/** What each way to ask one question would cost, in µs. */
export class StrategyCosts {
  private readonly patternShare: number;
  private readonly suffixShare: number;
  /** Share of all names that the answer is taken from. */
  private readonly matchShare: number;
  /** Sizes of the bands that hold scores asked for, in the order in which they are walked. */
  private readonly bands: readonly number[];
  private readonly isRanked: boolean;
  private readonly wanted: number;

  constructor(
    private readonly query: DiscoveryQuery,
    private readonly sample: NameSample,
  ) {
    const { q = '', mode, suffixes, minWayback, maxWayback, sort = BY_RANK } = query;
    this.patternShare = q === '' ? 1 : sample.shareOfPattern(markPattern(q, mode));
    this.suffixShare =
      suffixes.length === 0
        ? 1
        : suffixes.reduce((sum, suffix) => sum + sample.shareOf(gramOfSuffix(suffix)), 0);
    // The common question is judged by what has been counted before: no name of the sample is looked at.
    this.matchShare = isCommon(query)
      ? this.patternShare * this.suffixShare
      : Math.max(sample.leastShare, sample.shareOfFilter(query));
    const bands = sample.bandSizes.filter((_, place) => {
      const band = SCORE_BANDS[place];
      return band !== undefined && holdsScores(band, minWayback, maxWayback);
    });
    this.bands = sort.direction === 'desc' ? bands : bands.toReversed();
    this.isRanked = sort.key === 'wayback';
    this.wanted = query.limit + (query.offset ?? 0);
  }

  /** The lookup of grams whose posting lists are worth reading, the rarest first. @param some not a matter of choice */
  chooseGrams(candidates: readonly string[], some: readonly string[]): GramLookup {
    const rarest = candidates
      .toSorted((one, other) => this.sample.shareOf(one) - this.sample.shareOf(other))
      .slice(0, MAX_CANDIDATES);
    let best: GramLookup = { every: some.length > 0 ? [] : rarest.slice(0, 1), some };
    while (best.every.length < MAX_GRAMS) {
      const { every } = best;
      const next = rarest
        .filter((gram) => !every.includes(gram))
        .map((gram) => ({ every: [...every, gram], some }))
        .reduce((cheapest, other) => (this.ofBands(other) < this.ofBands(cheapest) ? other : cheapest), best);
      if (next === best) break;
      best = next;
    }
    return best;
  }

  /** Band by band, in the order of rank until enough names have matched; in any other order, all of them. */
  ofBands({ every, some }: GramLookup): number {
    const share = this.shareOfLookup(every, some);
    const shares = every.map((gram) => this.sample.shareOf(gram));
    const rarest = Math.min(...shares, some.length > 0 ? this.patternShare : 1);
    // A posting list is read by pages, and a page costs the same whether one of its entries is wanted or all.
    const entries = [...shares, ...(some.length > 0 ? [this.patternShare] : [])].reduce(
      (sum, listed) => sum + Math.min(listed, rarest * ENTRIES_PER_PAGE),
      0,
    );
    let cost = 0;
    let found = 0;
    for (const size of this.bands) {
      cost += (every.length + some.length) * LOOKUP_US + size * (entries * ENTRY_US + share * NAME_US);
      found += size * this.matchShare;
      if (this.isRanked && found >= this.wanted) break;
    }
    return cost;
  }

  /** In the order asked for, until enough names have matched or none is left. */
  ofOrder(): number {
    const { sort = BY_RANK, firstSeenFrom, firstSeenTo } = this.query;
    const isInTable =
      sort.key === 'domain' || (sort.key !== 'first_seen' && (firstSeenFrom ?? firstSeenTo) !== undefined);
    const names = this.isRanked
      ? this.bands.reduce((sum, size) => sum + size, 0) * this.suffixShare
      : this.sample.total;
    const read = Math.min(names, this.wanted / this.matchShare);
    return LOOKUP_US + read * (isInTable ? NAME_US : RANKED_NAME_US);
  }

  /** All names within the filter's limits for one column, gathered and sorted. */
  ofRange(key: RangeKey): number {
    const { minLength, maxLength, firstSeenFrom, firstSeenTo, minWayback, maxWayback, suffixes } = this.query;
    const limits: Record<RangeKey, Partial<NameFilter>> = {
      wayback: { minWayback, maxWayback, suffixes },
      length: { minLength, maxLength },
      first_seen: { firstSeenFrom, firstSeenTo },
    };
    const share = Math.max(
      this.sample.leastShare,
      this.sample.shareOfFilter({ ...NO_LIMITS, ...limits[key] }),
    );
    return LOOKUP_US + this.sample.total * share * NAME_US;
  }

  /** Share of names that the lookup finds, and that are read from the table. */
  private shareOfLookup(every: readonly string[], some: readonly string[]): number {
    if (some.length > 0)
      return every.reduce((product, gram) => product * this.sample.shareOf(gram), this.patternShare);
    const [rarest = '', ...others] = every;
    const share = this.sample.shareOf(rarest);
    if (share === 0) return 0;
    return others.reduce((product, gram) => (product * this.sample.shareOfBoth(rarest, gram)) / share, share);
  }
}
