import { ApiSchema, IntersectionType } from '@nestjs/swagger';
import { WebhookAddress, WebhookOptions } from './webhook-settings.dto.js';
import { MAX_WEBHOOKS, type Webhook } from './webhook.js';
import { field, many, OK, one, orNull, shape, shapeOn, text, yes } from '../../validation/shape.js';

@ApiSchema({ name: 'Webhook', description: 'A subscription to events.' })
export class WebhookDto extends shapeOn(IntersectionType(WebhookAddress, WebhookOptions), {
  id: field<string>({ type: String, format: 'uuid', example: '0b0a3c1e-6f5d-4f0e-9a51-0c8f1c7b2a4d' }),
  disabled_reason: orNull(text('Why it was switched off, if not by you; null otherwise.', null)),
  host_proven: yes(
    'Whether its host, or its address, is proven to be yours (`POST .../proof`). Until then its ' +
      'deliveries share one pace with all that is not proven.',
    true,
  ),
  created_at: field<string>({ type: String, format: 'date-time', example: '2026-11-20T03:41:07.123Z' }),
  updated_at: field<string>({ type: String, format: 'date-time', example: '2026-11-20T03:41:07.123Z' }),
}) {}

@ApiSchema({ name: 'WebhookResult' })
export class WebhookResult extends shape({
  ...OK,
  webhook: one(WebhookDto),
}) {}

@ApiSchema({ name: 'WebhookWithSecret' })
export class WebhookWithSecret extends shape({
  ...WebhookResult.fields,
  secret: text(
    'What deliveries are signed with. Shown this once: keep it.',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw3kSZ1xq0bHo=',
  ),
}) {}

@ApiSchema({ name: 'WebhookList' })
export class WebhookList extends shape({
  ...OK,
  results: many(WebhookDto, 'Your webhooks, the oldest first.', { maxItems: MAX_WEBHOOKS }),
}) {}

export function toWebhookDto(webhook: Webhook): WebhookDto {
  return {
    id: webhook.id,
    url: webhook.url,
    description: webhook.description,
    events: [...webhook.eventTypes],
    watched_only: webhook.watchedOnly,
    tld: [...webhook.suffixes],
    q: webhook.q,
    mode: webhook.mode,
    min_wayback: webhook.minWayback,
    min_length: webhook.minLength,
    max_length: webhook.maxLength,
    batch_size: webhook.batchSize,
    enabled: webhook.enabled,
    disabled_reason: webhook.disabledReason,
    host_proven: webhook.isProven,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  };
}
