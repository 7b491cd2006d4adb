import { ApiSchema } from '@nestjs/swagger';
import type { Quota, Tier } from '../config/tiers.js';
import { oneOf, shape, whole, yes } from '../validation/shape.js';

@ApiSchema({ name: 'Allowance', description: "What the caller's tier includes." })
export class Allowance extends shape({
  requests_per_minute: whole('Requests a minute, whatever they cost.', 300),
  page_size: whole('Most records on one page of a list.', 25),
  paging: yes('Whether pages after the first are included.', true),
  fields: oneOf(['restricted', 'full'], 'Which fields a record has.', 'full'),
  feed: yes('The feed of dropped names.', true),
  webhooks: yes('Webhooks; false wherever they are switched off.', false),
  export: yes('Bulk export and daily diffs; false wherever they are switched off.', false),
}) {}

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
