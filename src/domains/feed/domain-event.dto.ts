import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { type DomainEvent, FEED_TYPES, type FeedType } from './domain-event.repository.js';

@ApiSchema({ name: 'DomainEvent', description: 'What happened to a name, and when.' })
export class DomainEventDto {
  @ApiProperty({
    description:
      '`domain.dropped`: the name became available; `domain.taken`: it stopped being so; `domain.listed`: it is about to be purged; `domain.purged`: its purge has passed, and no registry was asked yet; `domain.rescued`: it was saved from that. A name that drops again has a new event. `domain.removed`: it is to be left out of every copy, for no reason that is told (its data is its text alone: the fields that would tell of it stand at what says nothing, `state` at `unconfirmed`, `available` at false, `wayback` at 0, and are not to be stored); `domain.restored`: it belongs in again.',
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
