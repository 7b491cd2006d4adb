import { ApiExtraModels, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { DomainDto, FullDomainDto, TIER_SHAPES } from '../../domains/schema/domain.dto.js';
import { DomainEventDto, FeedPlace } from '../../domains/feed/feed-cursor.js';
import { OneOrMoreOf } from '../../domains/name/name-parameters.js';
import { Metered } from '../../access/rate.dto.js';
import { MAX_PAGE_SIZE } from '../../config/tiers.js';
import { FEED_TYPES, type FeedType, USUAL_TYPES } from '../../domains/schema/events.js';
import { count, field, many, OK, positive, shape, text, yes } from '../../validation/shape.js';
import { IntegerParameter } from '../../validation/parameters.js';

export class DroppedQuery extends FeedPlace {
  @ApiPropertyOptional({
    description:
      'Only these events, separated by commas. Left out: `domain.dropped` and `domain.taken`. Who ' +
      'keeps a copy asks for `domain.removed` (of the last 30 days) and `domain.restored` as well; ' +
      'the others are for tiers with full fields. A cursor goes on with those that it was made ' +
      'for, unless others are sent.',
    type: 'array',
    items: { type: 'string', enum: [...FEED_TYPES] },
    example: [...USUAL_TYPES],
  })
  @OneOrMoreOf(FEED_TYPES)
  types?: FeedType[];

  @IntegerParameter(
    1,
    MAX_PAGE_SIZE,
    "Most events, up to the tier's page size, and capped by what is left of the budget. Left " +
      "out: 25, or the tier's page size where that is smaller.",
    { example: 25 },
  )
  limit?: number;
}

@ApiSchema({ name: 'FeedEvent', description: 'One event of the feed.' })
@ApiExtraModels(DomainDto, FullDomainDto)
export class FeedEvent extends shape({
  ...DomainEventDto.fields,
  number: positive('Place in the feed: rises from event to event, with gaps.', 40_213),
  data: field<DomainDto | FullDomainDto>({
    description: "The name as the dataset knows it now, with the fields of the caller's tier.",
    ...TIER_SHAPES,
  }),
}) {}

@ApiSchema({ name: 'DroppedResult', description: 'A page of the feed, oldest event first.' })
export class DroppedResult extends shape({
  ...Metered.fields,
  ...OK,
  results: many(FeedEvent, 'Events, oldest first.', { maxItems: MAX_PAGE_SIZE }),
  count: count('Events in this answer: what was charged.', 1),
  has_more: yes('Whether more events follow now.', false),
  next_cursor: text(
    'Where to go on, also when nothing follows yet: keep it, and ask again later. Every event ' +
      'comes once, and none is missed.',
    'bWFkZS11cC1leGFtcGxl',
  ),
}) {}
