import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller.js';
import { TierGate } from '../auth/tier-gate.js';
import { Config } from '../config/config.js';
import { toTierDto } from '../domains/domain.dto.js';
import { toEventDto } from '../domains/domain-event.dto.js';
import { DomainEventRepository } from '../domains/domain-event.repository.js';
import { readCursor, writeCursor } from '../domains/page-cursor.js';
import { ApiError } from '../errors/api-error.js';
import { RecordBudget } from '../rate-limit/record-budget.js';
import type { DroppedQuery, DroppedResult } from './dropped.dto.js';

const USUAL_LIMIT = 25;
/** What a caller's clock may be ahead of ours. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;
/** There is one feed, so its cursors belong to no query. */
const FEED = 'dropped';

@Injectable()
export class DroppedService {
  constructor(
    private readonly gate: TierGate,
    private readonly budget: RecordBudget,
    private readonly events: DomainEventRepository,
    private readonly config: Config,
  ) {}

  /**
   * The events behind a time or a cursor, oldest first. Costs the events returned.
   *
   * @throws {ApiError} invalid_parameter, key_required or tier_required, budget_exhausted
   */
  async listEvents({ since, cursor, limit }: DroppedQuery, caller: Caller): Promise<DroppedResult> {
    const { pageSize } = caller.tier;
    const wanted = limit ?? Math.min(USUAL_LIMIT, pageSize);
    this.gate.assertIncluded(
      caller,
      (tier) => tier.feed && tier.pageSize >= wanted,
      `${wanted} events at once, only ${pageSize}`,
    );
    const start = startOf(since, cursor);
    const { result, ...left } = await this.budget.spend(caller, wanted, async (records) => {
      const number = typeof start === 'number' ? start : await this.events.findNumberBefore(start);
      const page = await this.events.listEventsAfter(number, records);
      return { used: page.events.length, result: { ...page, number } };
    });
    const { events, hasMore, number } = result;
    return {
      ok: true,
      results: events.map((event) => ({
        number: event.number,
        ...toEventDto(event),
        data: toTierDto(event.domain, caller.tier, this.config.links),
      })),
      count: events.length,
      has_more: hasMore,
      next_cursor: writeCursor(FEED, [events.at(-1)?.number ?? number]),
      ...left,
    };
  }
}

/** The time to begin with, or the number of the last event that was handed out. */
function startOf(since: string | undefined, cursor: string | undefined): string | number {
  if (since !== undefined && cursor !== undefined)
    throw new ApiError('invalid_parameter', 'since and cursor exclude each other: send one of them');
  if (cursor !== undefined) return numberOf(cursor);
  if (since === undefined)
    throw new ApiError(
      'invalid_parameter',
      'since or cursor is needed: since where you begin, such as 2026-11-20T00:00:00Z, and the next_cursor of each answer from there on',
    );
  if (Date.parse(since) > Date.now() + CLOCK_TOLERANCE_MS)
    throw new ApiError(
      'invalid_parameter',
      `since must not lie in the future; here it is ${new Date().toISOString()}`,
    );
  return since;
}

function numberOf(cursor: string): number {
  const [number] = readCursor(FEED, cursor) ?? [];
  if (typeof number !== 'number')
    throw new ApiError(
      'invalid_parameter',
      'cursor must be the next_cursor of an earlier answer of this feed',
    );
  return number;
}
