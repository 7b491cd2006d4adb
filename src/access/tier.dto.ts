import { ApiSchema } from '@nestjs/swagger';
import type { Quota, Tier } from '../config/tiers.js';
import { INTEGER, Property } from '../validation/property.js';

@ApiSchema({ name: 'Allowance', description: "What the caller's tier includes." })
export class Allowance {
  @Property('Requests a minute, whatever they cost.', 300, INTEGER)
  requests_per_minute: number;

  @Property('Most records on one page of a list.', 25, INTEGER)
  page_size: number;

  @Property('Whether pages after the first are included.', true)
  paging: boolean;

  @Property('Which fields a record has.', 'full', { enum: ['restricted', 'full'] })
  fields: Tier['fields'];

  @Property('The feed of dropped names.', true)
  feed: boolean;

  @Property('Webhooks; false wherever they are switched off.', false)
  webhooks: boolean;

  @Property('Bulk export and daily diffs; false wherever they are switched off.', false)
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
