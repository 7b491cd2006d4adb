/** A range of `wayback`, both limits included; the last band has no upper limit. */
export interface ScoreBand {
  readonly from: number;
  /** Null: no upper limit. */
  readonly to: number | null;
}

/** A range of scores with an index of its own. */
export interface ScoreTier extends ScoreBand {
  /** The partial index that holds its names. */
  readonly index: string;
  /** The highest score in that index. */
  readonly indexedTo: number | null;
}

/** Limits of scores. */
interface ScoreRange {
  readonly minWayback: number;
  readonly maxWayback?: number | undefined;
}

// Scores fall off steeply, so each band holds about ten times as many names as the one above it.
const LOWER_LIMITS = [10_000, 1_000, 100, 10, 1, 0];

/** From the top. */
export const SCORE_BANDS: readonly ScoreBand[] = LOWER_LIMITS.map((from, place) => ({
  from,
  to: place === 0 ? null : (LOWER_LIMITS[place - 1] ?? 0) - 1,
}));

/**
 * What search reads one after the other, from the top. Each is to hold some times the names of all above it: where one
 * holds thirty times as many, a page that ends in it reads as many for nothing, and each costs 20 µs where nothing is
 * found. The indexes of the migrations have the same limits, which a test compares; a change needs a migration.
 */
export const SCORE_TIERS: readonly ScoreTier[] = [
  tier(1_000, null),
  tier(300, 999),
  // Also the names above, as releases before read them.
  tier(100, 299, 999),
  tier(10, 99),
  tier(1, 9),
  tier(0, 0),
];

/** The GIN indexes that search reads. */
export const SEARCH_INDEXES = SCORE_TIERS.map(({ index }) => index);

function tier(from: number, to: number | null, indexedTo = to): ScoreTier {
  return { from, to, index: `domain_band_${from}`, indexedTo };
}

/** The lower limit of the band that holds the score. */
export function lowerLimitOf(score: number): number {
  return LOWER_LIMITS.find((from) => score >= from) ?? 0;
}

export function holdsScores({ from, to }: ScoreBand, min: number, max = Infinity): boolean {
  return (to === null || to >= min) && from <= max;
}

/** The tiers that hold scores within the limits, from the top. */
export function tiersOf({ minWayback, maxWayback }: ScoreRange): readonly ScoreTier[] {
  return SCORE_TIERS.filter((tier) => holdsScores(tier, minWayback, maxWayback));
}

/** The names in the tier's index as a condition, spelled as there, so that the planner sees that they agree. */
export function indexCondition({ from, indexedTo }: ScoreTier): string {
  const upper = indexedTo === null ? '' : ` AND wayback <= ${indexedTo}`;
  return `available AND NOT hidden AND wayback >= ${from}${upper}`;
}
