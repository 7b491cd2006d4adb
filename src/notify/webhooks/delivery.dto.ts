import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsOptional, IsUUID } from 'class-validator';
import { Cursor, MAX_LISTED, PageLimit, USUALLY_LISTED } from '../../domains/schema/list-parameters.js';
import { type Delivery, DELIVERY_STATES, type DeliveryState, LOG_DAYS } from './webhook.js';
import { FEED_TYPES } from '../../domains/schema/events.js';
import {
  count,
  field,
  id,
  many,
  OK,
  one,
  orNull,
  shape,
  text,
  time,
  whole,
  yes,
} from '../../validation/shape.js';
import { ChoiceParameter } from '../../validation/parameters.js';

const TYPES = [...FEED_TYPES, 'webhook.test'] as const;

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
