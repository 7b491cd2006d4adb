/** A range of `wayback`, both limits included; the last band has no upper limit. */
export interface ScoreBand {
  readonly from: number;
  /** Null: no upper limit. */
  readonly to: number | null;
  /** The partial index that holds the band's names. */
  readonly index: string;
}

/** Limits of scores. */
interface ScoreRange {
  readonly minWayback: number;
  readonly maxWayback?: number | undefined;
}

// Scores fall off steeply, so each band holds about ten times as many names as the one above it.
const LOWER_LIMITS = [10_000, 1_000, 100, 10, 1, 0];

/**
 * The bands that search reads from the top. The indexes of the migrations have the same limits, which a test
 * compares; a change needs a migration that rebuilds the indexes.
 */
export const SCORE_BANDS: readonly ScoreBand[] = LOWER_LIMITS.map((from, place) => ({
  from,
  to: place === 0 ? null : (LOWER_LIMITS[place - 1] ?? 0) - 1,
  index: `domain_band_${from}`,
}));

/** The lower limit of the band that holds the score. */
export function lowerLimitOf(score: number): number {
  return LOWER_LIMITS.find((from) => score >= from) ?? 0;
}

export function holdsScores({ from, to }: ScoreBand, min: number, max = Infinity): boolean {
  return (to === null || to >= min) && from <= max;
}

/** The bands that hold scores within the limits, from the top. */
export function bandsOf({ minWayback, maxWayback }: ScoreRange): readonly ScoreBand[] {
  return SCORE_BANDS.filter((band) => holdsScores(band, minWayback, maxWayback));
}

/** The band as a condition, spelled as in the index, so that the planner sees that they agree. */
export function bandCondition({ from, to }: ScoreBand): string {
  const upper = to === null ? '' : ` AND wayback <= ${to}`;
  return `available AND NOT hidden AND wayback >= ${from}${upper}`;
}
