import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { Quota, Tier } from '../config/tiers.js';

@ApiSchema({ name: 'Allowance', description: "What the caller's tier includes." })
export class Allowance {
  @ApiProperty({ description: 'Requests a minute, whatever they cost.', type: 'integer', example: 300 })
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

  @ApiProperty({ description: 'Webhooks; false wherever they are switched off.', example: false })
  webhooks: boolean;

  @ApiProperty({
    description: 'Bulk export and daily diffs; false wherever they are switched off.',
    example: false,
  })
  export: boolean;
}

/** What a tier includes, as it is published. */
export function toAllowance(tier: Tier): Allowance {
  return {
    requests_per_minute: tier.requestsPerMinute,
    page_size: tier.pageSize,
    paging: tier.paging,
    fields: tier.fields,
    feed: tier.feed,
    webhooks: tier.webhooks,
    export: tier.export,
  };
}

/** A row of the tier table as it is published: budgets first. */
export interface PublishedTier extends Allowance {
  key_required: boolean;
  records_per_minute: number;
  quota: Quota | null;
}

/** A row of the tier table, as it is published. */
export function toPublishedTier(tier: Tier): PublishedTier {
  return {
    key_required: tier.keyRequired,
    records_per_minute: tier.recordsPerMinute,
    quota: tier.quota,
    ...toAllowance(tier),
  };
}
