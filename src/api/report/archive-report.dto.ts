import { ApiSchema } from '@nestjs/swagger';
import type { KeptScore } from '../../archive/archive-score.repository.js';
import { FORMULA, FORMULA_VERSION } from '../../archive/archive-score.js';
import { ArchiveDto } from '../../domains/schema/domain.dto.js';
import { count, field, oneOf, orNull, positive, shapeOn, time } from '../../validation/shape.js';

@ApiSchema({
  name: 'ArchiveReport',
  description:
    `What the web archive has of a name, and what its score was made from. ${FORMULA}. All parts ` +
    'are null before the first answer of the archive.',
})
export class ArchiveReport extends shapeOn(ArchiveDto, {
  days: orNull(count('Different days (UTC) with a capture that counts: a 2xx, a 3xx or a revisit.', 137)),
  active_years: orNull(count('Calendar years that hold such a day.', 14)),
  longest_gap_days: orNull(
    positive('The most days from one such day to the next; null also when there are fewer than two.', 402),
  ),
  days_by_year: field<Record<string, number> | null>({
    description: 'Such days in each year that has any.',
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 1 },
    nullable: true,
    example: { 2009: 12, 2011: 3 },
  }),
  computed_at: orNull(
    time('When the archive answered and the score was computed (ISO 8601 UTC).', '2026-11-20T03:41:07.123Z'),
  ),
  version: orNull(
    positive(
      `Version of the formula that it was computed with; today's is ${FORMULA_VERSION}.`,
      FORMULA_VERSION,
    ),
  ),
  source: orNull(
    oneOf(
      ['archive', 'sandbox'],
      'Who answered. `sandbox` is the made-up archive of the demo: never true of the real world.',
      'archive',
    ),
  ),
}) {}

/** @param kept the score as it was computed; null before the first answer */
export function toArchiveReport(stored: ArchiveDto, kept: KeptScore | null): ArchiveReport {
  return {
    ...stored,
    days: kept?.days ?? null,
    active_years: kept?.activeYears ?? null,
    longest_gap_days: kept?.longestGapDays ?? null,
    days_by_year: kept?.daysByYear ?? null,
    computed_at: kept?.computedAt.toISOString() ?? null,
    version: kept?.version ?? null,
    source: kept?.source ?? null,
  };
}
