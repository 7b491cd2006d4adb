import { ApiPropertyOptional, ApiSchema, ApiExtraModels, getSchemaPath, OmitType } from '@nestjs/swagger';
import { IsOptional, IsUUID } from 'class-validator';
import { Cursor, MAX_LISTED, PageLimit, USUALLY_LISTED } from '../../domains/schema/page-cursor.js';
import { type Delivery, DELIVERY_STATES, type DeliveryState, LOG_DAYS } from './webhook.js';
import { WEBHOOK_EVENT_TYPES } from './account-events.js';
import {
  count,
  field,
  id,
  many,
  OK,
  one,
  optional,
  orNull,
  shape,
  text,
  time,
  whole,
  yes,
  positive,
  shapeOn,
  ChoiceParameter,
} from '../../validation/shape.js';
import { FullDomainDto } from '../../domains/schema/domain.dto.js';
import { DomainEventDto, MISSING_BEFORE } from '../../domains/feed/feed-cursor.js';

const TYPES = [...WEBHOOK_EVENT_TYPES, 'webhook.test'] as const;

export class DeliveriesQuery {
  @ChoiceParameter(DELIVERY_STATES, 'Only these.', { example: 'failed' })
  status?: DeliveryState;

  @PageLimit('Most deliveries.')
  limit = USUALLY_LISTED;

  @Cursor(
    'page',
    'next_cursor of the page before. It goes on by itself: a status that is sent as well must be that of that page.',
  )
  cursor?: string;

  @ApiPropertyOptional({
    description: 'The id of the last delivery of the page before. Use cursor instead.',
    format: 'uuid',
    deprecated: true,
  })
  @IsOptional()
  @IsUUID(undefined, { message: 'after must be the id of a delivery' })
  after?: string;
}

@ApiSchema({ name: 'WebhookDelivery', description: 'What was to be told, and what came of it.' })
export class DeliveryDto extends shape({
  id: id('The webhook-id header is this with `msg_` before it.', '6f1c2f6e-2f1a-4b7e-8a55-0a6a7e0f6b1d'),
  type: field<Delivery['type']>({ enum: TYPES, example: 'domain.dropped' }),
  events: field<number[]>({
    description: 'Places in the feed of what it tells.',
    type: 'integer',
    isArray: true,
    example: [40213],
  }),
  status: field<DeliveryState>({ enum: DELIVERY_STATES, example: 'delivered' }),
  attempts: field<number>({ type: 'integer', minimum: 0, example: 1 }),
  next_attempt_at: orNull(time('When it is tried next; null when it is not.', null)),
  response_status: orNull(whole("Status of the receiver's last answer; null when there was none.", 200)),
  response_text: orNull(text('First kilobyte of that answer.', 'ok')),
  problem: orNull(text('Why there was no answer; null when there was one.', null)),
  duration_ms: orNull(whole('Of the last attempt.', 48)),
  created_at: field<string>({ type: String, format: 'date-time', example: '2026-11-20T03:41:07.123Z' }),
  attempted_at: field<string | null>({
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-11-20T03:41:07.456Z',
  }),
}) {}

@ApiSchema({ name: 'WebhookDeliveryResult' })
export class DeliveryResult extends shape({
  ...OK,
  delivery: one(DeliveryDto),
}) {}

@ApiSchema({ name: 'WebhookDeliveryList' })
export class DeliveryList extends shape({
  ...OK,
  results: many(DeliveryDto, `The newest first; kept for ${LOG_DAYS} days.`, { maxItems: MAX_LISTED }),
  has_more: yes('Whether older ones follow.', false),
  next_cursor: orNull(text('Where the next page begins; null at the end.', null)),
}) {}

@ApiSchema({ name: 'WebhookReplay' })
export class ReplayResult extends shape({
  ...OK,
  since: optional(time('The parameter as a time; absent without it.', '2026-11-18T00:00:00Z')),
  missing_before: MISSING_BEFORE,
  deliveries: count('Deliveries that are under way now.', 12),
  has_more: yes('Whether more has happened than is replayed at once.', false),
  next_cursor: text(
    'Where to go on: send it as cursor, instead of since. The feed takes it as well.',
    'bWFkZS11cC1leGFtcGxl',
  ),
}) {}

export function toDeliveryDto(delivery: Delivery): DeliveryDto {
  return {
    id: delivery.id,
    type: delivery.type,
    events: [...delivery.events],
    status: delivery.status,
    attempts: delivery.attempts,
    next_attempt_at: delivery.status === 'pending' ? delivery.dueAt.toISOString() : null,
    response_status: delivery.responseStatus,
    response_text: delivery.responseText,
    problem: delivery.problem,
    duration_ms: delivery.durationMs,
    created_at: delivery.createdAt.toISOString(),
    attempted_at: delivery.attemptedAt?.toISOString() ?? null,
  };
}

/** What a receiver is sent of its own account; the shape of `data` is that of the account's list. */
export interface AccountDelivery {
  readonly type: string;
  readonly timestamp: string;
  readonly data: object;
}

@ApiSchema({ name: 'EventDelivery', description: 'What a receiver is sent when something happens to names.' })
@ApiExtraModels(FullDomainDto)
export class EventDelivery extends shapeOn(OmitType(DomainEventDto, ['timestamp']), {
  timestamp: time(
    'When the dataset learned of it; of several events, of the last.',
    '2026-11-18T02:00:00.000Z',
  ),
  number: positive(
    'The place of the event in the feed, GET /api/v1/dropped; of several events, of the last. ' +
      'Deliveries come in no promised order: this is what to sort them by.',
    40_213,
  ),
  numbers: field<number[]>({
    description: 'The places of all events that it tells of, in the order of `data`.',
    type: 'integer',
    isArray: true,
    example: [40_213],
  }),
  data: field<FullDomainDto | FullDomainDto[]>({
    description:
      'The name as the dataset knows it at this moment, with every field; a list of names where ' +
      'batch_size was 2 or more.',
    anyOf: [
      { $ref: getSchemaPath(FullDomainDto) },
      { type: 'array', items: { $ref: getSchemaPath(FullDomainDto) } },
    ],
  }),
}) {}

@ApiSchema({ name: 'WebhookChallenge' })
class WebhookChallenge extends shape({
  webhook_id: field<string>({
    type: String,
    format: 'uuid',
    example: '0b0a3c1e-6f5d-4f0e-9a51-0c8f1c7b2a4d',
  }),
  challenge: text(
    'To be answered with the signature of this text, made with the secret, the webhook-id and ' +
      'the webhook-timestamp of the request: `v1,…` as plain text.',
    'pXq2T0bGkzB4r8mWc1Zr7jVQh0nS5yLd',
  ),
}) {}

@ApiSchema({
  name: 'ChallengeDelivery',
  description: 'What a receiver is sent when its owner wants to prove its host.',
})
export class ChallengeDelivery extends shape({
  type: field<'webhook.challenge'>({ enum: ['webhook.challenge'], example: 'webhook.challenge' }),
  timestamp: field<string>({ type: String, format: 'date-time', example: '2026-11-18T02:00:00.000Z' }),
  data: one(WebhookChallenge),
}) {}

@ApiSchema({ name: 'TestedWebhook' })
class TestedWebhook extends shape({
  webhook_id: field<string>({
    type: String,
    format: 'uuid',
    example: '0b0a3c1e-6f5d-4f0e-9a51-0c8f1c7b2a4d',
  }),
}) {}

@ApiSchema({ name: 'TestDelivery', description: 'What a receiver is sent when its owner asks for a test.' })
export class TestDelivery extends shape({
  type: field<'webhook.test'>({ enum: ['webhook.test'], example: 'webhook.test' }),
  timestamp: time('When it was asked for.', '2026-11-18T02:00:00.000Z'),
  data: one(TestedWebhook),
}) {}
