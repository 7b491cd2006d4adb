import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { KeptScore } from '../../archive/archive-score.repository.js';
import { FORMULA, FORMULA_VERSION } from '../../archive/archive-score.js';
import { ArchiveDto } from '../../domains/schema/domain.dto.js';

@ApiSchema({
  name: 'ArchiveReport',
  description:
    `What the web archive has of a name, and what its score was made from. ${FORMULA}. All parts ` +
    'are null before the first answer of the archive.',
})
export class ArchiveReport extends ArchiveDto {
  @ApiProperty({
    description: 'Different days (UTC) with a capture that counts: a 2xx, a 3xx or a revisit.',
    type: 'integer',
    minimum: 0,
    nullable: true,
    example: 137,
  })
  days: number | null;

  @ApiProperty({
    description: 'Calendar years that hold such a day.',
    type: 'integer',
    minimum: 0,
    nullable: true,
    example: 14,
  })
  active_years: number | null;

  @ApiProperty({
    description: 'The most days from one such day to the next; null also when there are fewer than two.',
    type: 'integer',
    minimum: 1,
    nullable: true,
    example: 402,
  })
  longest_gap_days: number | null;

  @ApiProperty({
    description: 'Such days in each year that has any.',
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 1 },
    nullable: true,
    example: { 2009: 12, 2011: 3 },
  })
  days_by_year: Record<string, number> | null;

  @ApiProperty({
    description: 'When the archive answered and the score was computed (ISO 8601 UTC).',
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-11-20T03:41:07.123Z',
  })
  computed_at: string | null;

  @ApiProperty({
    description: `Version of the formula that it was computed with; today's is ${FORMULA_VERSION}.`,
    type: 'integer',
    minimum: 1,
    nullable: true,
    example: FORMULA_VERSION,
  })
  version: number | null;

  @ApiProperty({
    description: 'Who answered. `sandbox` is the made-up archive of the demo: never true of the real world.',
    enum: ['archive', 'sandbox'],
    type: String,
    nullable: true,
    example: 'archive',
  })
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
