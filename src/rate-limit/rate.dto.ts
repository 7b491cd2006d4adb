import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { Quota as TierQuota } from '../tiers/tiers.js';

@ApiSchema({ name: 'Rate', description: 'The current rate budget, counted in domain records.' })
export class Rate {
  @ApiProperty({ description: 'Domain records a minute.', type: 'integer', minimum: 1, example: 5 })
  limit_per_min: number;

  @ApiProperty({ description: 'Records left in this window.', type: 'integer', minimum: 0, example: 4 })
  remaining: number;

  @ApiProperty({
    description: 'Seconds until the per-minute budget resets: windows are whole minutes of the UTC clock.',
    type: 'integer',
    minimum: 1,
    maximum: 60,
    example: 42,
  })
  reset_in: number;
}

@ApiSchema({ name: 'Quota', description: 'The longer budget of a keyed caller, beside the minute.' })
export class Quota {
  @ApiProperty({
    description: 'What it is counted over: whole hours or months of the UTC clock.',
    enum: ['hour', 'month'],
    example: 'month',
  })
  period: TierQuota['period'];

  @ApiProperty({ description: 'Domain records a period.', type: 'integer', minimum: 1, example: 100_000 })
  limit: number;

  @ApiProperty({
    description: 'Records left in this period.',
    type: 'integer',
    minimum: 0,
    example: 99_312,
  })
  remaining: number;

  @ApiProperty({
    description: 'When the next period begins (ISO 8601 UTC).',
    format: 'date-time',
    example: '2026-12-01T00:00:00.000Z',
  })
  resets_at: string;
}

/** What every metered answer says of the caller's budgets. */
export class Metered {
  @ApiProperty({ type: Rate, description: 'The budget after this answer.' })
  rate: Rate;

  @ApiPropertyOptional({
    type: Quota,
    description: 'The longer budget after this answer; absent where the tier has none, as in the demo.',
  })
  quota?: Quota;
}
