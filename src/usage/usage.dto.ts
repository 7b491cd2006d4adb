import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { type Scope, SCOPES } from '../auth/keys/api-key.js';
import { Metered } from '../rate-limit/rate.dto.js';
import { TIER_NAMES, type Tier, type TierName } from '../tiers/tiers.js';

@ApiSchema({ name: 'Allowance', description: "What the caller's tier includes." })
export class Allowance {
  @ApiProperty({ description: 'Requests a minute, whatever they cost.', type: 'integer', example: 60 })
  requests_per_minute: number;

  @ApiProperty({ description: 'Most records on one page of a list.', type: 'integer', example: 25 })
  page_size: number;

  @ApiProperty({ description: 'Whether pages after the first are included.', example: true })
  paging: boolean;

  @ApiProperty({
    description: 'Which fields a record has.',
    enum: ['restricted', 'full'],
    example: 'full',
  })
  fields: Tier['fields'];

  @ApiProperty({ description: 'The feed of dropped names.', example: true })
  feed: boolean;

  @ApiProperty({ description: 'Webhooks.', example: false })
  webhooks: boolean;

  @ApiProperty({ description: 'Bulk export and daily diffs.', example: false })
  export: boolean;
}

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
