import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/caller.js';
import { TierGate } from '../../access/tier-gate.js';
import { Config } from '../../config/config.js';
import { cancellable } from '../../db/cancellation.js';
import { toTierDto } from '../../domains/schema/domain-view.js';
import { toEventDto, feedCursorBehind, feedStartOf } from '../../domains/feed/feed-cursor.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { keptParameters, resumeQuery } from '../../domains/schema/page-cursor.js';
import { RecordBudget } from '../../access/record-budget.js';
import { ReadDatabase } from '../../db/replicas/read-database.js';
import { DroppedQuery, type DroppedResult } from './dropped.dto.js';
import { OPEN_TYPES, USUAL_TYPES } from '../../domains/schema/events.js';

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
   * @throws {ApiError} invalid_parameter, key_required or tier_required, budget_exhausted
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
    const start = feedStartOf(query);
    const { number, seen } = await this.domains.feed.findStart(start);
    const { result: page, position } = await cancellable(caller.delivery?.signal, () =>
      this.domains.feed.listEventsAfter({ number, seen }, wanted, types),
    );
    if (position !== null && page.events.length > 0) await this.reads.untilReadable(position);
    const { granted, left } = await this.budget.charge(caller, page.events.length);
    const events = page.events.slice(0, granted);
    return {
      ok: true,
      results: events.map((event) => ({
        number: event.number,
        ...toEventDto(event),
        data: toTierDto(event.domain, caller.tier, this.config.links),
      })),
      count: events.length,
      has_more: page.hasMore || events.length < page.events.length,
      next_cursor: feedCursorBehind(
        { number: events.at(-1)?.number ?? number, seen: position },
        keptParameters(query, DroppedQuery),
      ),
      ...left,
    };
  }
}
