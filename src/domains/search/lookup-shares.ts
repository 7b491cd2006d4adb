import { NO_LIMITS } from '../schema/filters/filters.js';
import type { NameSample } from './name-sample.js';
import type { TraitLookup } from './name-traits.js';
import type { GramLookup } from './pattern-grams.js';

/** As many names of the sample the prior of a second gram weighs as much as. */
const PRIOR_NAMES = 1;
// The sample knows nothing of bands, so a few grams have to have that much more than is wanted.
const FEW_SURPLUS = 1.3;
const MAX_FEW = 8;

/** Share of names that grams find, and that are read from the table. @param patternShare of the names that have the whole pattern */
export function shareOfLookup(
  { every, some }: Pick<GramLookup, 'every' | 'some'>,
  sample: NameSample,
  patternShare: number,
): number {
  if (some.length > 0) return every.reduce((product, gram) => product * sample.shareOf(gram), patternShare);
  const [rarest, ...others] = every;
  if (rarest === undefined) return 1;
  const share = leastShareOf(rarest, sample);
  return others.reduce((product, gram) => product * shareAmong(rarest, gram, sample), share);
}

/** Of a pattern of one character it is counted, of what has no pattern the cells say it. */
export function shareOfTrait({ asks }: TraitLookup, sample: NameSample): number {
  const share =
    asks.q === undefined ? sample.shareOfFilter({ ...NO_LIMITS, ...asks }) : sample.shareOf(asks.q);
  return Math.max(sample.leastShare, share);
}

/** The commonest of the grams, as many as together have that share of all names and more; null where that takes too many. */
export function fewOf(grams: readonly string[], least: number, sample: NameSample): readonly string[] | null {
  const few: string[] = [];
  let share = 0;
  for (const gram of grams.toSorted((one, other) => sample.shareOf(other) - sample.shareOf(one))) {
    few.push(gram);
    share += sample.shareOf(gram);
    if (share >= FEW_SURPLUS * least) return few;
    if (few.length === MAX_FEW) break;
  }
  return null;
}

/** Of a gram that none of the sample has, some of all names may have it. */
export function leastShareOf(gram: string, sample: NameSample): number {
  return Math.max(sample.leastShare, sample.shareOf(gram));
}

/**
 * Share of the names with a gram that have another one as well. Few of the sample have a rare gram, and which of them the
 * other is luck: they weigh against a prior. Grams of one pattern come together more often than by chance, so that is the
 * root of the other's share.
 */
function shareAmong(rarest: string, gram: string, sample: NameSample): number {
  const prior = PRIOR_NAMES * sample.nameShare;
  const both = sample.shareOfBoth(rarest, gram) + prior * Math.sqrt(leastShareOf(gram, sample));
  return both / (sample.shareOf(rarest) + prior);
}
