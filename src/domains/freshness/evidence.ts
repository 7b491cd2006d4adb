import type { RateTable } from './rate-table.js';
import { rateIntervals, type RateInterval } from './urgency.js';

/** What one answer adds to the evidence of a cell. */
export interface EvidenceShare {
  readonly cell: number;
  readonly exposureDays: number;
  readonly taken: number;
}

/**
 * What an answer says about the rates: a name that is still free was free all the time since its last answer, in
 * each of the cells that it went through. A name found taken was taken at an unknown moment in between; it is
 * shared out as the rates that are believed so far have it (one step of expectation and maximisation, which a day's
 * many answers repeat). Counting it whole in its last cell would make old names look the more dangerous the longer
 * they go unasked.
 *
 * @param ageDays of the name at its last answer
 * @param daysUnasked from that answer to this one
 */
export function evidenceOf(
  rates: RateTable,
  band: number,
  ageDays: number,
  daysUnasked: number,
  taken: boolean,
): EvidenceShare[] {
  const parts = [...rateIntervals(rates, band, ageDays, daysUnasked)];
  if (!taken) return parts.map(({ cell, from, to }) => ({ cell, exposureDays: to - from, taken: 0 }));
  const chances = parts.map((part) => -part.survival * Math.expm1(-part.rate * (part.to - part.from)));
  const whole = chances.reduce((sum, chance) => sum + chance, 0);
  let later = 1;
  return parts.map((part, place) => {
    const here = whole > 0 ? (chances[place] ?? 0) / whole : 1 / parts.length;
    later -= here;
    const exposureDays = here * meanDaysBefore(part) + Math.max(0, later) * (part.to - part.from);
    return { cell: part.cell, exposureDays, taken: here };
  });
}

const SMALL_EXPONENT = 1e-6;

/** How long a name that is taken within the interval was free in it, on average. */
function meanDaysBefore({ rate, from, to }: RateInterval): number {
  const days = to - from;
  const exponent = rate * days;
  // Close to an even chance all through, where the closed form is a difference of two great numbers.
  if (exponent < SMALL_EXPONENT) return days / 2;
  return 1 / rate - days / Math.expm1(exponent);
}
