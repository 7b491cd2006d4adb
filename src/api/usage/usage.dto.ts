import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { type Scope, SCOPES } from '../../access/api-key.js';
import { MeteredAnswer } from '../../access/rate.dto.js';
import { Allowance } from '../../access/tier.dto.js';
import { TIER_NAMES, type TierName } from '../../config/tiers.js';
import { Day } from '../../domains/name/name-parameters.js';
import { INTEGER, Property, TEXT_OR_NULL, Success } from '../../validation/property.js';

/** Answer of GET /api/v1/usage. */
@ApiSchema({ name: 'Usage', description: 'What is left of the budgets, and what the tier includes.' })
export class Usage extends MeteredAnswer {
  @Property("The account's tier.", 'starter', { enum: TIER_NAMES })
  tier: TierName;

  @Property('What this key may be used for.', ['read'], { enum: SCOPES, isArray: true })
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
  @Property('The day, of UTC.', '2026-11-20', { format: 'date' })
  day: string;

  @Property(
    'The key; null for what was asked on the pages by somebody signed in, or by an app that is connected.',
    '0b0a3c1e-6f5d-4f0e-9a51-0c8f1c7b2a4d',
    { type: String, format: 'uuid', nullable: true },
  )
  key_id: string | null;

  @Property('Its name; null where there is no key, or it was removed since.', 'My program', TEXT_OR_NULL)
  key_name: string | null;

  @Property('Records that were charged.', 1_250, INTEGER)
  records: number;
}

/** Answer of GET /api/v1/usage/history. */
@ApiSchema({ name: 'UsageHistory', description: 'What the budgets charged, by day and key.' })
export class UsageHistory extends Success {
  @Property('First day.', '2026-11-01', { format: 'date' })
  from: string;

  @Property('Last day.', '2026-11-30', { format: 'date' })
  to: string;

  @Property('Records that were charged in all.', 31_400, INTEGER)
  records: number;

  @ApiProperty({
    description: 'By day and key, the oldest first; a day on which a key was charged nothing has no entry.',
    type: [UsageOfDay],
  })
  results: UsageOfDay[];
}
