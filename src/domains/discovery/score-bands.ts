/** A range of `wayback`, both limits included; the last band has no upper limit. */
export interface ScoreBand {
  readonly from: number;
  /** Null: no upper limit. */
  readonly to: number | null;
  /** The partial index that holds the band's names. */
  readonly index: string;
}

// Scores fall off steeply, so each band holds about ten times as many names as the one above it.
const LOWER_LIMITS = [10_000, 1_000, 100, 10, 1, 0];

/**
 * The bands that discovery reads from the top. The indexes of the migrations have the same limits, which a test compares; a
 * change needs a migration that builds the indexes anew.
 */
export const SCORE_BANDS: readonly ScoreBand[] = LOWER_LIMITS.map((from, place) => ({
  from,
  to: place === 0 ? null : (LOWER_LIMITS[place - 1] ?? 0) - 1,
  index: `domain_band_${from}`,
}));

/** Whether the band can hold a score from `least` to `most`. */
export function holdsScores({ from, to }: ScoreBand, least: number, most = Infinity): boolean {
  return (to === null || to >= least) && from <= most;
}

/** The band as a condition, spelled the same in the index and in the query, for the planner to see that they agree. */
export function bandCondition({ from, to }: ScoreBand): string {
  const upper = to === null ? '' : ` AND wayback <= ${to}`;
  return `available AND NOT hidden AND wayback >= ${from}${upper}`;
}
