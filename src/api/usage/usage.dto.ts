import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { type Scope, SCOPES } from '../../access/api-key.js';
import { Metered } from '../../access/rate.dto.js';
import { Allowance } from '../../access/tier.dto.js';
import { TIER_NAMES, type TierName } from '../../config/tiers.js';
import { Day } from '../../domains/name/name-parameters.js';

/** Answer of GET /api/v1/usage. */
@ApiSchema({ name: 'Usage', description: 'What is left of the budgets, and what the tier includes.' })
export class Usage extends Metered {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({ description: "The account's tier.", enum: TIER_NAMES, example: 'starter' })
  tier: TierName;

  @ApiProperty({
    description: 'What this key may be used for.',
    enum: SCOPES,
    isArray: true,
    example: ['read'],
  })
  scopes: readonly Scope[];

  @ApiProperty({ type: Allowance, description: 'What the tier includes.' })
  includes: Allowance;
}

export class UsageHistoryQuery {
  @Day('First day, of UTC. Left out: 29 days before the last.', '2026-11-01')
  from?: string;

  @Day('Last day, of UTC. Left out: today.', '2026-11-30')
  to?: string;
}

@ApiSchema({ name: 'UsageOfDay', description: 'What one key was charged on one day.' })
export class UsageOfDay {
  @ApiProperty({ description: 'The day, of UTC.', format: 'date', example: '2026-11-20' })
  day: string;

  @ApiProperty({
    description:
      'The key; null for what was asked on the pages by somebody signed in, or by an app that is connected.',
    type: String,
    format: 'uuid',
    nullable: true,
    example: '0b0a3c1e-6f5d-4f0e-9a51-0c8f1c7b2a4d',
  })
  key_id: string | null;

  @ApiProperty({
    description: 'Its name; null where there is no key, or it was removed since.',
    type: String,
    nullable: true,
    example: 'My program',
  })
  key_name: string | null;

  @ApiProperty({ description: 'Records that were charged.', type: 'integer', example: 1_250 })
  records: number;
}

/** Answer of GET /api/v1/usage/history. */
@ApiSchema({ name: 'UsageHistory', description: 'What the budgets charged, by day and key.' })
export class UsageHistory {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({ description: 'First day.', format: 'date', example: '2026-11-01' })
  from: string;

  @ApiProperty({ description: 'Last day.', format: 'date', example: '2026-11-30' })
  to: string;

  @ApiProperty({ description: 'Records that were charged in all.', type: 'integer', example: 31_400 })
  records: number;

  @ApiProperty({
    description: 'By day and key, the oldest first; a day on which a key was charged nothing has no entry.',
    type: [UsageOfDay],
  })
  results: UsageOfDay[];
}
