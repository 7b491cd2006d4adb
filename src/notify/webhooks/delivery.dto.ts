import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsOptional, IsUUID } from 'class-validator';
import { Cursor, MAX_LISTED, PageLimit, USUALLY_LISTED } from '../../domains/schema/list-parameters.js';
import { type Delivery, DELIVERY_STATES, type DeliveryState, LOG_DAYS } from './webhook.js';
import { FEED_TYPES } from '../../domains/schema/events.js';

const TYPES = [...FEED_TYPES, 'webhook.test'] as const;

export class DeliveriesQuery {
  @ApiPropertyOptional({ description: 'Only these.', enum: DELIVERY_STATES, example: 'failed' })
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
  @ApiProperty({
    description: 'The webhook-id header is this with `msg_` before it.',
    format: 'uuid',
    example: '6f1c2f6e-2f1a-4b7e-8a55-0a6a7e0f6b1d',
  })
  id: string;

  @ApiProperty({ enum: TYPES, example: 'domain.dropped' })
  type: Delivery['type'];

  @ApiProperty({
    description: 'Places in the feed of what it tells.',
    type: 'integer',
    isArray: true,
    example: [40213],
  })
  events: number[];

  @ApiProperty({ enum: DELIVERY_STATES, example: 'delivered' })
  status: DeliveryState;

  @ApiProperty({ type: 'integer', minimum: 0, example: 1 })
  attempts: number;

  @ApiProperty({
    description: 'When it is tried next; null when it is not.',
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
  })
  next_attempt_at: string | null;

  @ApiProperty({
    description: "Status of the receiver's last answer; null when there was none.",
    type: 'integer',
    nullable: true,
    example: 200,
  })
  response_status: number | null;

  @ApiProperty({ description: 'First kilobyte of that answer.', type: String, nullable: true, example: 'ok' })
  response_text: string | null;

  @ApiProperty({
    description: 'Why there was no answer; null when there was one.',
    type: String,
    nullable: true,
    example: null,
  })
  problem: string | null;

  @ApiProperty({ description: 'Of the last attempt.', type: 'integer', nullable: true, example: 48 })
  duration_ms: number | null;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T03:41:07.123Z' })
  created_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-20T03:41:07.456Z' })
  attempted_at: string | null;
}

@ApiSchema({ name: 'WebhookDeliveryResult' })
export class DeliveryResult {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: DeliveryDto })
  delivery: DeliveryDto;
}

@ApiSchema({ name: 'WebhookDeliveryList' })
export class DeliveryList {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({
    type: [DeliveryDto],
    description: `The newest first; kept for ${LOG_DAYS} days.`,
    maxItems: MAX_LISTED,
  })
  results: DeliveryDto[];

  @ApiProperty({ description: 'Whether older ones follow.', example: false })
  has_more: boolean;

  @ApiProperty({
    description: 'Where the next page begins; null at the end.',
    type: String,
    nullable: true,
    example: null,
  })
  next_cursor: string | null;
}

@ApiSchema({ name: 'WebhookReplay' })
export class ReplayResult {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({
    description: 'Deliveries that are under way now.',
    type: 'integer',
    minimum: 0,
    example: 12,
  })
  deliveries: number;

  @ApiProperty({ description: 'Whether more has happened than is replayed at once.', example: false })
  has_more: boolean;

  @ApiProperty({
    description: 'Where to go on: send it as cursor, instead of since. The feed takes it as well.',
    example: 'bWFkZS11cC1leGFtcGxl',
  })
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
