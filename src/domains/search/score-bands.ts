import type { DiscoveryQuery, NameFilter } from './discovery-query.js';

/** A range of `wayback`, both limits included; the last band has no upper limit. */
export interface ScoreBand {
  readonly from: number;
  /** Null: no upper limit. */
  readonly to: number | null;
  /** The partial index that holds the band's names. */
  readonly index: string;
}

/** The scores that a filter asks for. */
type ScoreRange = Pick<NameFilter, 'minWayback' | 'maxWayback'>;

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

/** Whether the band can hold a score from `min` to `max`. */
export function holdsScores({ from, to }: ScoreBand, min: number, max = Infinity): boolean {
  return (to === null || to >= min) && from <= max;
}

/** The bands that hold scores asked for, from the top. */
export function bandsOf({ minWayback, maxWayback }: ScoreRange): readonly ScoreBand[] {
  return SCORE_BANDS.filter((band) => holdsScores(band, minWayback, maxWayback));
}

/** The bands that may hold rows behind the one to go on from; that one lies within the filter, or else they all do. */
export function remainingBands(query: DiscoveryQuery, isDescending: boolean): readonly ScoreBand[] {
  const score = query.after?.wayback;
  const remaining = bandsOf(isDescending ? atMost(query, score) : atLeast(query, score));
  return remaining.length > 0 ? remaining : bandsOf(query);
}

function atMost(filter: NameFilter, score = Infinity): NameFilter {
  return { ...filter, maxWayback: Math.min(filter.maxWayback ?? Infinity, score) };
}

function atLeast(filter: NameFilter, score = 0): NameFilter {
  return { ...filter, minWayback: Math.max(filter.minWayback, score) };
}

/** The band as a condition, spelled the same in the index and in the query, for the planner to see that they agree. */
export function bandCondition({ from, to }: ScoreBand): string {
  const upper = to === null ? '' : ` AND wayback <= ${to}`;
  return `available AND NOT hidden AND wayback >= ${from}${upper}`;
}
