import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { Quota as TierQuota, Tier } from '../tiers/tiers.js';
import { type BudgetCounts, type BudgetWindow, resetInSeconds, windowsOf } from './budget/budget-window.js';

/** The windows of a budget at a moment of the database's clock. */
interface Measured {
  readonly windows: readonly [BudgetWindow, ...BudgetWindow[]];
  readonly now: Date;
}

@ApiSchema({ name: 'Rate', description: 'The current rate budget, counted in domain records.' })
export class Rate {
  @ApiProperty({ description: 'Domain records a minute.', type: 'integer', minimum: 1, example: 5 })
  limit_per_min: number;

  @ApiProperty({
    description:
      'Records left now: the least that any budget of the caller leaves, the minute or the longer one.',
    type: 'integer',
    minimum: 0,
    example: 4,
  })
  remaining: number;

  @ApiProperty({
    description: 'Seconds until the per-minute budget resets: windows are whole minutes of the UTC clock.',
    type: 'integer',
    minimum: 1,
    maximum: 60,
    example: 42,
  })
  reset_in: number;

  readonly #measured: Measured;

  constructor(measured: Measured) {
    const { windows, now } = measured;
    const [minute] = windows;
    this.limit_per_min = minute.limit;
    this.remaining = Math.min(...windows.map(({ left }) => left));
    this.reset_in = resetInSeconds(minute, now);
    this.#measured = measured;
  }

  /** What it was made from: for the headers, which have a place for each window. No part of the answer. */
  get measured(): Measured {
    return this.#measured;
  }
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

/** What is left, as it is published. */
export function toMetered(tier: Tier, counts: BudgetCounts): Metered {
  const windows = windowsOf(tier, counts);
  const rate = new Rate({ windows, now: counts.now });
  const [, longer] = windows;
  if (!tier.quota || !longer) return { rate };
  const { limit, left, endsAt } = longer;
  return {
    rate,
    quota: { period: tier.quota.period, limit, remaining: left, resets_at: endsAt.toISOString() },
  };
}
