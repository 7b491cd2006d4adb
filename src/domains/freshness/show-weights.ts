import { SCORE_BANDS } from '../schema/filters/score-bands.js';

// From the lowest band to the highest. Answers are ranked by score, so a name is shown the more often the fewer are above it;
// each band holds a few times fewer names than the one below it and is shown about as often in all.
const WEIGHTS_FROM_LOWEST = [1, 3, 10, 40, 150, 600];

/**
 * How often a name of each band is shown, relative to one of the lowest: the cost of a day on which it is offered and taken.
 * In the order of {@link SCORE_BANDS}.
 */
export const SHOW_WEIGHTS: readonly number[] = SCORE_BANDS.map(
  (_, band) => WEIGHTS_FROM_LOWEST[SCORE_BANDS.length - 1 - band] ?? 1,
);

export function showWeight(band: number): number {
  return SHOW_WEIGHTS[band] ?? 1;
}
