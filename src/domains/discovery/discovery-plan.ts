import { type MatchMode, SUFFIXES, type Suffix } from '../domain.js';
import type { DatasetSample } from './dataset-sample.js';
import { gramsOf, likePattern, markPattern } from './pattern-grams.js';

/** What discovery is asked for. Rows come by `wayback` descending, then by name. */
export interface DiscoveryQuery {
  readonly q?: string;
  readonly mode: MatchMode;
  /** Empty: all. */
  readonly suffixes: readonly Suffix[];
  readonly minWayback: number;
  readonly limit: number;
}

/** The way a question is asked. Both ways find the same rows. */
export interface DiscoveryPlan {
  /** `bands`: look the pieces up, band by band. `rank`: read names in the order of rank until enough have matched. */
  readonly walk: 'bands' | 'rank';
  /** Pieces to look up; empty for `rank`. */
  readonly grams: readonly string[];
  readonly like: string;
  readonly suffixes: readonly Suffix[];
}

// More pieces cost more than they save: each is one more posting list to intersect, and LIKE looks at the rows anyway.
const MAX_GRAMS = 3;
// A suffix is worth a posting list of its own when few names have it.
const RARE_SUFFIX_SHARE = 0.2;
// Below this many rows either way is quick, and the sample need not be searched for the pattern.
const FEW_ROWS = 300;
// Reading a matching row through a bitmap and sorting it costs about this many rows read in the order of rank.
const MATCH_COST = 1.5;

/** Chooses the way that reads fewer rows, by what the sample says; without a sample, the pieces. */
export function planDiscovery(query: DiscoveryQuery, sample: DatasetSample | null): DiscoveryPlan {
  const marked = query.q === undefined ? '' : markPattern(query.q, query.mode);
  const like = likePattern(query.q ?? '', query.mode);
  const suffixes = query.suffixes.length > 0 ? query.suffixes : SUFFIXES;
  const grams = chooseGrams(marked, query.suffixes, sample);
  const walk = grams.length === 0 || (sample && isBroad(query, marked, grams, sample)) ? 'rank' : 'bands';
  return { walk, grams: walk === 'bands' ? grams : [], like, suffixes };
}

function chooseGrams(marked: string, suffixes: readonly Suffix[], sample: DatasetSample | null): string[] {
  const grams = gramsOf(marked);
  if (!sample) return [...grams.slice(0, MAX_GRAMS), ...(grams.length === 0 ? suffixToken(suffixes) : [])];
  const rarest = grams
    .map((gram) => ({ gram, share: sample.shareOfGram(gram) }))
    .sort((one, other) => one.share - other.share)
    .slice(0, MAX_GRAMS)
    .map(({ gram }) => gram);
  return sample.shareOfSuffixes(suffixes) < RARE_SUFFIX_SHARE
    ? [...rarest, ...suffixToken(suffixes)]
    : rarest;
}

// Only a single suffix is a token: a name has one, and the index is asked for names that have all tokens.
function suffixToken([suffix, ...others]: readonly Suffix[]): string[] {
  return suffix === undefined || others.length > 0 ? [] : [`.${suffix}`];
}

function isBroad(
  { suffixes, limit }: DiscoveryQuery,
  marked: string,
  grams: readonly string[],
  sample: DatasetSample,
): boolean {
  const suffixShare = sample.shareOfSuffixes(suffixes);
  const rarest = Math.min(
    suffixShare,
    ...grams.filter((gram) => !gram.startsWith('.')).map((gram) => sample.shareOfGram(gram)),
  );
  if (sample.matchesVisited(rarest, limit) < FEW_ROWS) return false;
  const share = sample.shareOfPattern(marked) * suffixShare;
  if (share === 0) return false;
  return sample.matchesVisited(share, limit) * MATCH_COST > limit / share;
}
