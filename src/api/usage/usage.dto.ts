import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { type Scope, SCOPES } from '../../access/api-key.js';
import { Metered } from '../../access/rate.dto.js';
import { Allowance } from '../../access/tier.dto.js';
import { TIER_NAMES, type TierName } from '../../access/tiers.js';

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
