import { Controller, Get, Module, Query, Injectable } from '@nestjs/common';
import {
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiExtraModels,
  ApiPropertyOptional,
  ApiSchema,
} from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/caller.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { RATE_RESPONSE_HEADERS, Metered } from '../../access/rate.dto.js';
import { CostsRecords, RequiresTier } from '../../access/requirements.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { ApiCommaList, OneOrMoreOf } from '../../domains/name/name-parameters.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { TierGate } from '../../access/tier-gate.js';
import { Config } from '../../config/config.js';
import { toTierDto } from '../../domains/schema/domain-view.js';
import {
  toEventDto,
  feedCursorBehind,
  feedStartOf,
  DomainEventDto,
  FeedPlace,
  MISSING_BEFORE,
} from '../../domains/feed/feed-cursor.js';
import { eventsGone } from '../../domains/feed/domain-event.repository.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { keptParameters, resumeQuery } from '../../domains/schema/page-cursor.js';
import { RecordBudget } from '../../access/record-budget.js';
import { ReadDatabase } from '../../db/replicas/read-database.js';
import { OPEN_TYPES, USUAL_TYPES, FEED_TYPES, type FeedType } from '../../domains/schema/events.js';
import { DomainDto, FullDomainDto, TIER_SHAPES } from '../../domains/schema/domain.dto.js';
import { MAX_PAGE_SIZE } from '../../config/tiers.js';
import {
  count,
  field,
  many,
  OK,
  optional,
  positive,
  shape,
  text,
  time,
  yes,
  IntegerParameter,
} from '../../validation/shape.js';

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
class FeedEvent extends shape({
  ...DomainEventDto.fields,
  number: positive('Place in the feed: rises from event to event, with gaps.', 40_213),
  data: field<DomainDto | FullDomainDto>({
    description: "The name as the dataset knows it now, with the fields of the caller's tier.",
    ...TIER_SHAPES,
  }),
}) {}

@ApiSchema({ name: 'DroppedResult', description: 'A page of the feed, oldest event first.' })
class DroppedResult extends shape({
  ...Metered.fields,
  ...OK,
  since: optional(time('The parameter as a time; absent without it.', '2026-11-18T00:00:00Z')),
  missing_before: MISSING_BEFORE,
  results: many(FeedEvent, 'Events, oldest first.', { maxItems: MAX_PAGE_SIZE }),
  count: count('Events in this answer: what was charged.', 1),
  has_more: yes('Whether more events follow now.', false),
  next_cursor: text(
    'Where to go on, also when nothing follows yet: keep it, and ask again later. Every event ' +
      'comes once, and none is missed.',
    'bWFkZS11cC1leGFtcGxl',
  ),
}) {}

const DEFAULT_LIMIT = 25;

@Injectable()
export class DroppedService {
  constructor(
    private readonly gate: TierGate,
    private readonly budget: RecordBudget,
    private readonly domains: DomainRepository,
    private readonly reads: ReadDatabase,
    private readonly config: Config,
  ) {}

  /**
   * The events after a time or a cursor, oldest first. Costs the events returned, limited to the remaining
   * budget.
   *
   * @throws {ApiError} invalid_parameter, gone, key_required or tier_required, budget_exhausted
   */
  async listEvents(sent: DroppedQuery, caller: Caller): Promise<DroppedResult> {
    const query = await resumeQuery(sent, DroppedQuery);
    const { limit, types = USUAL_TYPES } = query;
    const { pageSize } = caller.tier;
    const wanted = limit ?? Math.min(DEFAULT_LIMIT, pageSize);
    this.gate.assertIncluded(
      caller,
      (tier) => tier.feed && tier.pageSize >= wanted,
      `${wanted} events at once, only ${pageSize}`,
    );
    if (types.some((type) => !OPEN_TYPES.some((open) => open === type)))
      this.gate.assertIncluded(caller, (tier) => tier.fields === 'full', 'events before a drop');
    const place = feedStartOf(query);
    const start =
      typeof place === 'string'
        ? await this.domains.feed.findBeginning(place)
        : { ...place, missingBefore: null };
    const { result: page, position } = await this.domains.feed.listEventsAfter(start, wanted, types);
    if (query.cursor !== undefined && !page.isWhole) throw eventsGone();
    if (position !== null && page.events.length > 0) await this.reads.untilReadable(position);
    const { granted, left } = await this.budget.charge(caller, page.events.length);
    const events = page.events.slice(0, granted);
    const isCut = events.length < page.events.length;
    return {
      ok: true,
      ...(query.since !== undefined && { since: new Date(query.since).toISOString() }),
      ...(start.missingBefore && { missing_before: start.missingBefore.toISOString() }),
      results: events.map((event) => ({
        number: event.number,
        ...toEventDto(event),
        data: toTierDto(event.domain, caller.tier, this.config.links),
      })),
      count: events.length,
      has_more: page.hasMore || isCut,
      // Also past what this reader does not ask for, which is deleted one day.
      next_cursor: feedCursorBehind(
        { number: isCut ? (events.at(-1)?.number ?? start.number) : page.upTo, seen: position },
        keptParameters(query, DroppedQuery),
      ),
      ...left,
    };
  }
}

@ApiTags('Discovery')
@Controller()
class DroppedController {
  constructor(private readonly dropped: DroppedService) {}

  @Get('api/v1/dropped')
  @CostsRecords()
  @RequiresTier((tier) => tier.feed)
  @ApiCommaList('types')
  @ApiOperation({
    operationId: 'listDropped',
    summary: 'The feed of names that dropped',
    description:
      'Every name that became available since a time, and every one that was taken again, oldest ' +
      'first, each event once; with types= also names that are about to be purged, and that were ' +
      'saved from it. Begin with since and go on with the cursor of each answer. Costs as many ' +
      'records as it returns. Needs a tier with the feed.',
  })
  @ApiOkResponse({
    type: DroppedResult,
    description: 'A page of the feed.',
    headers: RATE_RESPONSE_HEADERS,
  })
  @ApiFailures('key_required', 'tier_required', 'budget_exhausted', 'gone')
  listDropped(@Query() query: DroppedQuery, @CurrentCaller() caller: Caller): Promise<DroppedResult> {
    return this.dropped.listEvents(query, caller);
  }
}

@Module({
  imports: [DomainsModule, RateLimitModule],
  controllers: [DroppedController],
  providers: [DroppedService],
  exports: [DroppedService],
})
export class DroppedModule {}
