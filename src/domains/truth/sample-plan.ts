/** What a sample is drawn from: all offers, or those of the first ranks, where false ones mislead the most. */
export const STRATA = ['all', 'top_100', 'top_1000', 'top_10000'] as const;
export type Stratum = (typeof STRATA)[number];

/** How many of the first ranks a stratum has; null: all there are. */
export const RANKS: Readonly<Record<Stratum, number | null>> = {
  all: null,
  top_100: 100,
  top_1000: 1_000,
  top_10000: 10_000,
};

/** What the registry said of an offer. */
export const SAMPLE_OUTCOMES = ['free', 'taken', 'unknown'] as const;
export type SampleOutcome = (typeof SAMPLE_OUTCOMES)[number];

// Seven of ten for the one figure that speaks of every offer, the same for each of the others.
const PLAN: readonly Stratum[] = [
  'all',
  'all',
  'top_10000',
  'all',
  'all',
  'top_1000',
  'all',
  'all',
  'top_100',
  'all',
];

/** The stratum of the next draw. @param drawn how many came before */
export function stratumOf(drawn: number): Stratum {
  return PLAN[drawn % PLAN.length] ?? 'all';
}
