import { ApiSchema } from '@nestjs/swagger';
import type { KeptScore } from '../../archive/archive-score.repository.js';
import { FORMULA, FORMULA_VERSION } from '../../archive/archive-score.js';
import { ArchiveDto } from '../../domains/schema/domain.dto.js';
import { COUNT_OR_NULL, Property, TIME_OR_NULL } from '../../validation/property.js';

@ApiSchema({
  name: 'ArchiveReport',
  description:
    `What the web archive has of a name, and what its score was made from. ${FORMULA}. All parts ` +
    'are null before the first answer of the archive.',
})
export class ArchiveReport extends ArchiveDto {
  @Property('Different days (UTC) with a capture that counts: a 2xx, a 3xx or a revisit.', 137, COUNT_OR_NULL)
  days: number | null;

  @Property('Calendar years that hold such a day.', 14, COUNT_OR_NULL)
  active_years: number | null;

  @Property('The most days from one such day to the next; null also when there are fewer than two.', 402, {
    type: 'integer',
    minimum: 1,
    nullable: true,
  })
  longest_gap_days: number | null;

  @Property(
    'Such days in each year that has any.',
    { 2009: 12, 2011: 3 },
    { type: 'object', additionalProperties: { type: 'integer', minimum: 1 }, nullable: true },
  )
  days_by_year: Record<string, number> | null;

  @Property(
    'When the archive answered and the score was computed (ISO 8601 UTC).',
    '2026-11-20T03:41:07.123Z',
    TIME_OR_NULL,
  )
  computed_at: string | null;

  @Property(
    `Version of the formula that it was computed with; today's is ${FORMULA_VERSION}.`,
    FORMULA_VERSION,
    { type: 'integer', minimum: 1, nullable: true },
  )
  version: number | null;

  @Property(
    'Who answered. `sandbox` is the made-up archive of the demo: never true of the real world.',
    'archive',
    { enum: ['archive', 'sandbox'], type: String, nullable: true },
  )
  source: KeptScore['source'] | null;
}

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
