import type { MatchMode, Suffix } from '../domain.js';
import type { NameSample } from './name-sample.js';
import { type GramLookup, lookupOf, markPattern } from './pattern-grams.js';
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
 * matched. `bands`: look the pieces up, band by band, for the names that have `every` or `some` of them.
 */
export type DiscoveryPlan = { readonly walk: 'rank' } | ({ readonly walk: 'bands' } & GramLookup);

/** Chooses the way that the sample says is the cheapest; without a sample, the pieces. */
export function planDiscovery(query: DiscoveryQuery, sample: NameSample | null): DiscoveryPlan {
  const { q = '', mode, suffixes } = query;
  const marked = markPattern(q, mode);
  // Nothing to match: the order of rank is the answer.
  const lookup = q === '' ? null : lookupOf(marked);
  if (lookup === null) return { walk: 'rank' };
  if (!sample) return { walk: 'bands', names: lookup.names, grams: spread(lookup) };

  const costs = new WalkCosts(query, sample, sample.shareOfPattern(marked));
  if (lookup.names === 'some')
    return costs.ofRank() <= costs.ofSome(lookup.grams) ? { walk: 'rank' } : { walk: 'bands', ...lookup };
  const suffixToken = suffixes.length === 1 ? suffixes.map((suffix) => `.${suffix}`) : [];
  const grams = costs.chooseGrams([...lookup.grams, ...suffixToken]);
  return costs.ofRank() <= costs.ofEvery(grams) ? { walk: 'rank' } : { walk: 'bands', names: 'every', grams };
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
// A posting list is decoded by pages, and one whose entries lie far apart on the page costs all of it.
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
      suffixes.length === 0 ? 1 : suffixes.reduce((sum, suffix) => sum + sample.shareOf(`.${suffix}`), 0);
    this.bands = sample.bandSizes.filter((_, band) => reaches(band, minWayback));
  }

  /** Pieces whose posting lists are worth reading, the rarest first. */
  chooseGrams(grams: readonly string[]): string[] {
    const [rarest = '', ...others] = grams
      .toSorted((one, other) => this.sample.shareOf(one) - this.sample.shareOf(other))
      .slice(0, MAX_CANDIDATES);
    let chosen = [rarest];
    while (chosen.length < MAX_GRAMS) {
      const cheapest = others
        .filter((gram) => !chosen.includes(gram))
        .map((gram) => ({ grams: [...chosen, gram], cost: this.ofEvery([...chosen, gram]) }))
        .reduce((best, next) => (next.cost < best.cost ? next : best), {
          grams: chosen,
          cost: this.ofEvery(chosen),
        });
      if (cheapest.grams === chosen) break;
      chosen = cheapest.grams;
    }
    return chosen;
  }

  /** Bands, names with every piece. @param grams the rarest first */
  ofEvery(grams: readonly string[]): number {
    const [rarest = '', ...others] = grams;
    const rarestShare = this.sample.shareOf(rarest);
    const share = others.reduce(
      (product, gram) =>
        rarestShare === 0 ? 0 : (product * this.sample.shareOfBoth(rarest, gram)) / rarestShare,
      rarestShare,
    );
    return this.ofBands(share, (size) =>
      grams.reduce((cost, gram) => {
        const entries = Math.min(this.sample.shareOf(gram), rarestShare * ENTRIES_PER_PAGE) * size;
        return cost + LOOKUP_US + entries * ENTRY_US;
      }, 0),
    );
  }

  /** Bands, names with any of the pieces. */
  ofSome(grams: readonly string[]): number {
    return this.ofBands(
      this.patternShare,
      (size) => grams.length * LOOKUP_US + this.patternShare * size * ENTRY_US,
    );
  }

  /** The order of rank, until `limit` names have matched or none is left. */
  ofRank(): number {
    const names = this.bands.reduce((sum, size) => sum + size, 0) * this.suffixShare;
    return LOOKUP_US + Math.min(names, this.query.limit / this.patternShare) * RANKED_NAME_US;
  }

  /** @param share share of names that are read from the table */
  private ofBands(share: number, costOfLookup: (size: number) => number): number {
    let cost = 0;
    let found = 0;
    for (const size of this.bands) {
      cost += costOfLookup(size) + share * size * NAME_US;
      found += size * this.patternShare * this.suffixShare;
      if (found >= this.query.limit) break;
    }
    return cost;
  }
}

function reaches(band: number, minWayback: number): boolean {
  const to = SCORE_BANDS[band]?.to ?? null;
  return to === null || to >= minWayback;
}

// Neighbouring pieces tell nearly the same, so the ones to look up are taken from the beginning, the middle and the end.
function spread({ names, grams }: GramLookup): readonly string[] {
  if (names === 'some') return grams;
  const places = [0, Math.floor((grams.length - 1) / 2), grams.length - 1];
  return [...new Set(places)].map((place) => grams[place] ?? '');
}
