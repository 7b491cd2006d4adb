import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { type DomainEvent } from './domain-event.repository.js';
import { eventOf, FEED_TYPES, type FeedType } from '../schema/events.js';

@ApiSchema({ name: 'DomainEvent', description: 'What happened to a name, and when.' })
export class DomainEventDto {
  @ApiProperty({
    description: `${FEED_TYPES.map((type) => `\`${type}\`: ${eventOf(type).when}`).join('; ')}. A name that drops again has a new event.`,
    enum: FEED_TYPES,
    example: 'domain.dropped',
  })
  type: FeedType;

  @ApiProperty({
    description: 'When the dataset learned of it (ISO 8601 UTC). Never earlier than the event before.',
    format: 'date-time',
    example: '2026-11-18T02:00:00.000Z',
  })
  timestamp: string;
}

export function toEventDto({ type, occurredAt }: DomainEvent): DomainEventDto {
  return { type, timestamp: occurredAt.toISOString() };
}
