import { ApiExtraModels, ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { DomainDto, FullDomainDto, TIER_SHAPES } from '../../domains/schema/domain.dto.js';
import { DomainEventDto, FeedPlace } from '../../domains/feed/feed-cursor.js';
import { OneOrMoreOf } from '../../domains/name/name-parameters.js';
import { IsIntegerFrom } from '../../validation/numbers.js';
import { MeteredAnswer } from '../../access/rate.dto.js';
import { MAX_PAGE_SIZE } from '../../config/tiers.js';
import { FEED_TYPES, type FeedType, USUAL_TYPES } from '../../domains/schema/events.js';
import { COUNT, OptionalProperty, POSITIVE, Property } from '../../validation/property.js';

export class DroppedQuery extends FeedPlace {
  @OptionalProperty(
    'Only these events, separated by commas. Left out: `domain.dropped` and `domain.taken`. Who ' +
      'keeps a copy asks for `domain.removed` (of the last 30 days) and `domain.restored` as well; ' +
      'the others are for tiers with full fields. A cursor goes on with those that it was made ' +
      'for, unless others are sent.',
    [...USUAL_TYPES],
    { type: 'array', items: { type: 'string', enum: [...FEED_TYPES] } },
  )
  @OneOrMoreOf(FEED_TYPES)
  types?: FeedType[];

  @OptionalProperty(
    "Most events, up to the tier's page size, and capped by what is left of the budget. Left " +
      "out: 25, or the tier's page size where that is smaller.",
    25,
    { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE },
  )
  @IsOptional()
  @IsIntegerFrom(1, MAX_PAGE_SIZE)
  limit?: number;
}

@ApiSchema({ name: 'FeedEvent', description: 'One event of the feed.' })
@ApiExtraModels(DomainDto, FullDomainDto)
export class FeedEvent extends DomainEventDto {
  @Property('Place in the feed: rises from event to event, with gaps.', 40_213, POSITIVE)
  number: number;

  @ApiProperty({
    description: "The name as the dataset knows it now, with the fields of the caller's tier.",
    ...TIER_SHAPES,
  })
  data: DomainDto | FullDomainDto;
}

@ApiSchema({ name: 'DroppedResult', description: 'A page of the feed, oldest event first.' })
export class DroppedResult extends MeteredAnswer {
  @ApiProperty({ type: [FeedEvent], description: 'Events, oldest first.', maxItems: MAX_PAGE_SIZE })
  results: FeedEvent[];

  @Property('Events in this answer: what was charged.', 1, COUNT)
  count: number;

  @Property('Whether more events follow now.', false)
  has_more: boolean;

  @Property(
    'Where to go on, also when nothing follows yet: keep it, and ask again later. Every event ' +
      'comes once, and none is missed.',
    'bWFkZS11cC1leGFtcGxl',
  )
  next_cursor: string;
}
