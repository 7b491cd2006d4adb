import type { MatchMode, Suffix } from '../domain.js';
import type { NameSample } from './name-sample.js';
import { type GramLookup, gramOfSuffix, lookupOf, markPattern } from './pattern-grams.js';
import { SCORE_BANDS } from './score-bands.js';

/** What discovery is asked for. Rows come by `wayback` descending, then by name. */
export interface DiscoveryQuery {
  readonly q?: string;
  readonly mode: MatchMode;
  /** Empty: all. */
  readonly suffixes: readonly Suffix[];
  readonly minWayback: number;
  /** At most {@link MAX_LIMIT}. */
  readonly limit: number;
}

export const MAX_LIMIT = 100;

/**
 * The way a question is asked; every way finds the same rows. `rank`: read names in the order of rank until enough have
 * matched. `bands`: look pieces up, band by band.
 */
export type DiscoveryPlan = { readonly walk: 'rank' } | ({ readonly walk: 'bands' } & GramLookup);

/** Chooses the way that the sample says is the cheapest; without a sample, the pieces. */
export function planDiscovery(query: DiscoveryQuery, sample: NameSample | null): DiscoveryPlan {
  const { q = '', mode, suffixes } = query;
  const marked = markPattern(q, mode);
  // Nothing to match: the order of rank is the answer.
  const lookup = q === '' ? null : lookupOf(marked);
  if (lookup === null) return { walk: 'rank' };
  if (!sample) return { walk: 'bands', ...lookup, every: spread(lookup.every) };

  const costs = new WalkCosts(query, sample, sample.shareOfPattern(marked));
  // A name has one suffix, so only a single one can be asked of every name.
  const candidates = [...lookup.every, ...(suffixes.length === 1 ? suffixes.map(gramOfSuffix) : [])];
  const cheapest = costs.chooseGrams(candidates, lookup.some);
  return costs.ofRank() <= costs.ofBands(cheapest) ? { walk: 'rank' } : { walk: 'bands', ...cheapest };
}

const MAX_GRAMS = 3;
// The pieces worth weighing against each other; the others of a long pattern are more common.
const MAX_CANDIDATES = 8;

// Measured on ten million names in memory, in µs: entering an index for one piece, decoding one entry of a posting list,
// reading one name from the table to compare and sort it, reading one name from the rank index to compare it.
const LOOKUP_US = 8;
const ENTRY_US = 0.012;
const NAME_US = 1.2;
const RANKED_NAME_US = 0.25;
const ENTRIES_PER_PAGE = 7_000;

/** What each way would cost, in µs. */
class WalkCosts {
  private readonly suffixShare: number;
  /** Sizes of the bands that reach the score asked for. */
  private readonly bands: readonly number[];

  /** @param patternShare share of all names that match the pattern */
  constructor(
    private readonly query: DiscoveryQuery,
    private readonly sample: NameSample,
    private readonly patternShare: number,
  ) {
    const { suffixes, minWayback } = query;
    this.suffixShare =
      suffixes.length === 0
        ? 1
        : suffixes.reduce((sum, suffix) => sum + sample.shareOf(gramOfSuffix(suffix)), 0);
    this.bands = sample.bandSizes.filter((_, band) => reaches(band, minWayback));
  }

  /** The lookup of pieces whose posting lists are worth reading, the rarest first. @param some not a matter of choice */
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

  /** Band by band, until `limit` names have matched. */
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
      found += size * this.patternShare * this.suffixShare;
      if (found >= this.query.limit) break;
    }
    return cost;
  }

  /** The order of rank, until `limit` names have matched or none is left. */
  ofRank(): number {
    const names = this.bands.reduce((sum, size) => sum + size, 0) * this.suffixShare;
    return LOOKUP_US + Math.min(names, this.query.limit / this.patternShare) * RANKED_NAME_US;
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

function reaches(band: number, minWayback: number): boolean {
  const to = SCORE_BANDS[band]?.to ?? null;
  return to === null || to >= minWayback;
}

// Neighbouring pieces tell nearly the same, so the ones to look up are taken from the beginning, the middle and the end.
function spread(grams: readonly string[]): readonly string[] {
  const places = [0, Math.floor((grams.length - 1) / 2), grams.length - 1];
  return grams.filter((_, place) => places.includes(place));
}
