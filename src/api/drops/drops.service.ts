import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/caller.js';
import { TierGate } from '../../access/tier-gate.js';
import { Config } from '../../config/config.js';
import { cancellable } from '../../db/cancellation.js';
import { Clock } from '../../db/database.js';
import { toTierDto } from '../../domains/schema/domain-view.js';
import { PURGE_ZONE, toPurgeZone } from '../../domains/schema/calendar-date.js';
import type { UpcomingDrop, UpcomingFilter } from '../../domains/feed/upcoming-drop.repository.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { keptParameters, resumeQuery } from '../../domains/schema/page-cursor.js';
import { ApiError } from '../../errors/api-error.js';
import { RecordBudget, type Spent } from '../../access/record-budget.js';
import { cursorBehind, positionOf } from './upcoming-cursor.js';
import { calendarOf, MAX_NAMES_PER_RUN } from './purge-calendar.js';
import {
  type UpcomingCalendarQuery,
  type UpcomingDropDto,
  UpcomingQuery,
  type UpcomingResult,
} from './upcoming.dto.js';

const DEFAULT_LIMIT = 25;

@Injectable()
export class DropsService {
  constructor(
    private readonly gate: TierGate,
    private readonly budget: RecordBudget,
    private readonly domains: DomainRepository,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /**
   * A page of names about to be purged. Costs the names returned.
   *
   * @throws {ApiError} invalid_parameter; key_required or tier_required when the tier does not include the
   * page; budget_exhausted
   */
  async listUpcoming(sent: UpcomingQuery, caller: Caller): Promise<UpcomingResult> {
    const query = await resumeQuery(sent, UpcomingQuery);
    const filter = filterOf(query);
    const wanted = this.limitOf(query, caller);
    if (query.cursor !== undefined)
      this.gate.assertIncluded(caller, (tier) => tier.paging, 'pages after the first');
    const after = query.cursor === undefined ? null : positionOf(query.cursor, filter);
    const now = await this.clock.now();
    // One more than is wanted, which is not handed out: it tells whether there is a next page.
    const found = await cancellable(caller.delivery?.signal, () =>
      this.domains.upcoming.listDrops(filter, now, after, wanted + 1),
    );
    const { granted, left } = await this.budget.charge(caller, Math.min(wanted, found.length));
    const drops = found.slice(0, granted);
    const hasMore = found.length > granted;
    const last = drops.at(-1);
    return {
      ok: true,
      time_zone: PURGE_ZONE,
      results: drops.map((drop) => this.toDto(drop, caller)),
      count: drops.length,
      has_more: hasMore,
      next_cursor:
        last && hasMore && caller.tier.paging
          ? cursorBehind(
              { ...last.domain, purgeAt: last.purgeAt },
              filter,
              keptParameters(query, UpcomingQuery),
            )
          : null,
      ...left,
    };
  }

  /**
   * The registry's purge runs as iCalendar, with the best names of each. Costs the listed names; counts are
   * free.
   *
   * @throws {ApiError} invalid_parameter; key_required or tier_required; budget_exhausted
   */
  async drawCalendar(query: UpcomingQuery, caller: Caller): Promise<Spent<string>> {
    if (query.cursor !== undefined)
      throw new ApiError('invalid_parameter', 'cursor has no meaning for a calendar, which has no pages');
    const filter = filterOf(query);
    const wanted = this.limitOf(query, caller);
    const now = await this.clock.now();
    const [runs, found] = await cancellable(caller.delivery?.signal, () =>
      Promise.all([
        this.domains.upcoming.listRuns(filter, now),
        this.domains.upcoming.listBest(filter, now, MAX_NAMES_PER_RUN, wanted),
      ]),
    );
    const { granted, left } = await this.budget.charge(caller, found.length);
    const best = found.slice(0, granted);
    return { result: calendarOf({ runs, best, filter, now, baseUrl: this.config.links.baseUrl }), left };
  }

  private limitOf({ limit }: UpcomingCalendarQuery, caller: Caller): number {
    const { pageSize } = caller.tier;
    const wanted = limit ?? Math.min(DEFAULT_LIMIT, pageSize);
    this.gate.assertIncluded(
      caller,
      (tier) => tier.pageSize >= wanted,
      `${wanted} names at once, only ${pageSize}`,
    );
    return wanted;
  }

  private toDto({ domain, purgeAt, kind, isApproximate }: UpcomingDrop, { tier }: Caller): UpcomingDropDto {
    return {
      purge_at: purgeAt.toISOString(),
      purge_at_local: toPurgeZone(purgeAt),
      kind,
      approximate: isApproximate,
      data: toTierDto(domain, tier, this.config.links),
    };
  }
}

function filterOf({ date, tld, kind, q, min_wayback }: UpcomingCalendarQuery): UpcomingFilter {
  return { day: date, suffixes: tld ?? [], kind, q, minWayback: min_wayback };
}
