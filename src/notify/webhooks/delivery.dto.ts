import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsOptional, IsUUID } from 'class-validator';
import { Cursor, MAX_LISTED, PageLimit, USUALLY_LISTED } from '../../domains/schema/list-parameters.js';
import { type Delivery, DELIVERY_STATES, type DeliveryState, LOG_DAYS } from './webhook.js';
import { FEED_TYPES } from '../../domains/schema/events.js';
import {
  COUNT,
  INTEGER_OR_NULL,
  OptionalProperty,
  Property,
  TEXT_OR_NULL,
  TIME_OR_NULL,
  Success,
} from '../../validation/property.js';

const TYPES = [...FEED_TYPES, 'webhook.test'] as const;

export class DeliveriesQuery {
  @OptionalProperty('Only these.', 'failed', { enum: DELIVERY_STATES })
  @IsOptional()
  @IsIn(DELIVERY_STATES, { message: `status must be one of ${DELIVERY_STATES.join(', ')}` })
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
export class DeliveryDto {
  @Property('The webhook-id header is this with `msg_` before it.', '6f1c2f6e-2f1a-4b7e-8a55-0a6a7e0f6b1d', {
    format: 'uuid',
  })
  id: string;

  @ApiProperty({ enum: TYPES, example: 'domain.dropped' })
  type: Delivery['type'];

  @Property('Places in the feed of what it tells.', [40213], { type: 'integer', isArray: true })
  events: number[];

  @ApiProperty({ enum: DELIVERY_STATES, example: 'delivered' })
  status: DeliveryState;

  @ApiProperty({ type: 'integer', minimum: 0, example: 1 })
  attempts: number;

  @Property('When it is tried next; null when it is not.', null, TIME_OR_NULL)
  next_attempt_at: string | null;

  @Property("Status of the receiver's last answer; null when there was none.", 200, INTEGER_OR_NULL)
  response_status: number | null;

  @Property('First kilobyte of that answer.', 'ok', TEXT_OR_NULL)
  response_text: string | null;

  @Property('Why there was no answer; null when there was one.', null, TEXT_OR_NULL)
  problem: string | null;

  @Property('Of the last attempt.', 48, INTEGER_OR_NULL)
  duration_ms: number | null;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T03:41:07.123Z' })
  created_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-20T03:41:07.456Z' })
  attempted_at: string | null;
}

@ApiSchema({ name: 'WebhookDeliveryResult' })
export class DeliveryResult extends Success {
  @ApiProperty({ type: DeliveryDto })
  delivery: DeliveryDto;
}

@ApiSchema({ name: 'WebhookDeliveryList' })
export class DeliveryList extends Success {
  @ApiProperty({
    type: [DeliveryDto],
    description: `The newest first; kept for ${LOG_DAYS} days.`,
    maxItems: MAX_LISTED,
  })
  results: DeliveryDto[];

  @Property('Whether older ones follow.', false)
  has_more: boolean;

  @Property('Where the next page begins; null at the end.', null, TEXT_OR_NULL)
  next_cursor: string | null;
}

@ApiSchema({ name: 'WebhookReplay' })
export class ReplayResult extends Success {
  @Property('Deliveries that are under way now.', 12, COUNT)
  deliveries: number;

  @Property('Whether more has happened than is replayed at once.', false)
  has_more: boolean;

  @Property(
    'Where to go on: send it as cursor, instead of since. The feed takes it as well.',
    'bWFkZS11cC1leGFtcGxl',
  )
  next_cursor: string;
}

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
