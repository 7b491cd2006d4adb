/**
 * What a sample is drawn from: all offers, those of the first ranks, where false ones mislead the most, or those of the
 * age that was sampled the least.
 */
export const STRATA = ['all', 'top_100', 'top_1000', 'top_10000', 'age'] as const;
export type Stratum = (typeof STRATA)[number];

/** How many of the first ranks a stratum has; null: it is not of ranks. */
export const RANKS: Readonly<Record<Stratum, number | null>> = {
  all: null,
  top_100: 100,
  top_1000: 1_000,
  top_10000: 10_000,
  age: null,
};

/** What the registry said of an offer. */
export const SAMPLE_OUTCOMES = ['free', 'taken', 'unknown'] as const;
export type SampleOutcome = (typeof SAMPLE_OUTCOMES)[number];

// Of twenty, thirteen for the one figure that speaks of every offer, three for ages, two for the ranks that most see.
const PLAN: readonly Stratum[] = [
  ...(['all', 'all', 'top_10000', 'all', 'age'] as const),
  ...(['all', 'all', 'top_100', 'all', 'all'] as const),
  ...(['age', 'all', 'all', 'top_1000', 'all'] as const),
  ...(['all', 'age', 'top_100', 'all', 'all'] as const),
];

/** The stratum of the next draw. @param drawn how many came before */
export function stratumOf(drawn: number): Stratum {
  return PLAN[drawn % PLAN.length] ?? 'all';
}

/** A share from 0 to 1 with its interval. */
export interface Share {
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

/** The two-sided 95 % point of the normal distribution. */
const Z = 1.959963984540054;

/**
 * The 95 % interval of Wilson (1927) for a share that was counted in a sample. Unlike the textbook one it is not
 * empty where nothing was found, which is what a small share mostly comes to.
 *
 * @returns null for an empty sample: nothing is known then
 */
export function wilsonShare(found: number, sampled: number): Share | null {
  if (sampled === 0) return null;
  const share = found / sampled;
  const spread = (Z * Z) / sampled;
  const middle = (share + spread / 2) / (1 + spread);
  const half = (Z / (1 + spread)) * Math.sqrt((share * (1 - share)) / sampled + spread / (4 * sampled));
  return {
    share,
    low: found === 0 ? 0 : Math.max(0, middle - half),
    high: found === sampled ? 1 : Math.min(1, middle + half),
  };
}

/**
 * The same with Newcombe's (1998) correction for continuity: wider, and right at least as often as it says also where
 * few are found in a small sample. Wilson's alone is too sure of itself there.
 *
 * @param sampled may be a fraction, where samples have weights
 */
export function cautiousShare(found: number, sampled: number): Share | null {
  if (sampled === 0) return null;
  const share = found / sampled;
  const [twice, scale] = [2 * found + Z * Z, 2 * (sampled + Z * Z)];
  const spread = (sign: 1 | -1) =>
    Z * Math.sqrt(Math.max(0, Z * Z + sign * 2 - 1 / sampled + 4 * share * (sampled * (1 - share) - sign)));
  return {
    share,
    low: found === 0 ? 0 : Math.max(0, (twice - 1 - spread(-1)) / scale),
    high: found === sampled ? 1 : Math.min(1, (twice + 1 + spread(1)) / scale),
  };
}
