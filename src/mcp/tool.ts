import { Inject, Injectable, Optional, type Type } from '@nestjs/common';
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { Caller } from '../access/caller.js';
import { BulkCheckService } from '../api/check/bulk-check.service.js';
import { CheckService } from '../api/check/check.module.js';
import { DroppedService } from '../api/dropped/dropped.module.js';
import { DropsService } from '../api/drops/drops.module.js';
import { FacetsService } from '../api/facets/facets.module.js';
import { ReportService } from '../api/report/report.module.js';
import { SearchService } from '../api/search/search.module.js';
import { StatsService } from '../api/stats/stats.module.js';
import { ExplainedSuggestService } from '../api/suggest/explained-suggest.service.js';
import { SuggestService } from '../api/suggest/suggest.module.js';
import { UsageService } from '../api/usage/usage.module.js';
import { EligibilityService } from '../orders/eligibility/eligibility.service.js';
import { ProgramOrders } from '../orders/mandates/program-orders.js';
import type { Advice } from './mcp-failure.js';

/** Orders as tools use them. */
@Injectable()
export class OrderServices {
  constructor(
    readonly programs: ProgramOrders,
    readonly eligibility: EligibilityService,
  ) {}
}

@Injectable()
export class ToolServices {
  constructor(
    readonly check: CheckService,
    readonly bulkCheck: BulkCheckService,
    readonly suggest: SuggestService,
    readonly explained: ExplainedSuggestService,
    readonly stats: StatsService,
    readonly drops: DropsService,
    readonly search: SearchService,
    readonly dropped: DroppedService,
    readonly report: ReportService,
    readonly facets: FacetsService,
    readonly usage: UsageService,
    /** Null where names cannot be ordered. */
    @Optional() @Inject(OrderServices) readonly orders: OrderServices | null = null,
  ) {}
}

/** A tool: what an agent reads, its shapes (DTO classes), and one call to a service. */
export interface Tool<Arguments extends object = object, Result extends object = object> {
  readonly name: string;
  readonly title: string;
  /** When to use it, what it costs and what it does not do. */
  readonly description: string;
  readonly arguments: Type<Arguments>;
  /** The possible shapes of an answer. */
  readonly results: readonly Type<Result>[];
  readonly asksRegistry: boolean;
  /** Refused without records left, before the work. */
  readonly costsRecords: boolean;
  /** It changes something that cannot be taken back; others spend budget only. */
  readonly isDestructive?: boolean;
  /** What to call after a failure, where the general advice does not fit. */
  readonly instead?: Advice;
  /** @throws {ApiError} which becomes a result marked as an error */
  run(given: Arguments, caller: Caller, services: ToolServices): Promise<Result>;
}

/** The same call again changes nothing more: also an order is placed once. */
export function annotationsOf({ asksRegistry, isDestructive = false }: Tool): ToolAnnotations {
  return {
    ...{ readOnlyHint: !isDestructive, destructiveHint: isDestructive },
    ...{ idempotentHint: true, openWorldHint: asksRegistry },
  };
}

export const defineTool = <Arguments extends object, Result extends object>(
  tool: Tool<Arguments, Result>,
): Tool => tool;
