import { Controller, Get, Module, Query, Injectable } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/caller.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { RATE_RESPONSE_HEADERS } from '../../access/rate.dto.js';
import { CostsRecords } from '../../access/requirements.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { ApiCommaList } from '../../domains/name/name-parameters.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { askedDays, SearchQuery, SearchResult, MAX_PAGE_RECORDS, totalsOf, orderOf } from './search.dto.js';
import { TierGate } from '../../access/tier-gate.js';
import { Config } from '../../config/config.js';
import {
  type DiscoveryQuery,
  type NameCount,
  NOTHING_KNOWN,
  type SortPosition,
} from '../../domains/search/discovery-query.js';
import type { Discovered } from '../../domains/search/discovery.repository.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { findNear } from '../../domains/near-matches.js';
import { readAs } from '../../domains/words/read-as.js';
import { nameFilterOf } from '../../domains/schema/filters/parameters.js';
import { toTierDto } from '../../domains/schema/domain-view.js';
import { sandboxWords } from '../../domains/first-offers.js';
import { type Domain, LABEL_LENGTH, MAX_WAYBACK } from '../../domains/schema/domain.js';
import {
  keptParameters,
  resumeQuery,
  type CursorPosition,
  isIntegerFrom,
  isNameText,
  readCursor,
  writeCursor,
} from '../../domains/schema/page-cursor.js';
import { ApiError } from '../../errors/api-error.js';
import { RecordBudget } from '../../access/record-budget.js';
import { isCalendarDate } from '../../domains/schema/calendar-date.js';
import { filterText } from '../../domains/schema/filters/filters.js';

/** The filters and the order of a search: what a cursor belongs to. */
export type Search = Omit<DiscoveryQuery, 'limit' | 'after' | 'offset'>;

export interface SearchPlace {
  readonly page: number;
  readonly after: SortPosition;
  /** How many names there are on all pages; left out by cursors of earlier releases. */
  readonly counted?: NameCount | undefined;
}

/** Beyond any real page; the other limits come from the column types of the position. */
const MAX_PAGE = 1_000_000_000;
const MAX_NAMES = 1_000_000_000;

/**
 * The cursor of the page after this row.
 * @param kept the search as it was sent (keptParameters)
 */
export function cursorBehind(
  { domain, wayback, length, firstSeen }: SortPosition,
  search: Search,
  { page, counted }: Pick<SearchPlace, 'page' | 'counted'>,
  kept: [] | [string] = [],
): string {
  const count = counted ? [counted.total, counted.low, counted.high, Number(counted.isExact)] : [];
  return writeCursor(canonicalText(search), [page, domain, wayback, length, firstSeen, ...count, ...kept]);
}

/** @throws {ApiError} invalid_parameter for a cursor that was altered or belongs to another search */
export function placeOf(cursor: string, search: Search): SearchPlace {
  const [page, domain, wayback, length, firstSeen, ...count] =
    readCursor(canonicalText(search), cursor) ?? [];
  if (
    !isIntegerFrom(1, MAX_PAGE, page) ||
    !isNameText(domain) ||
    !isIntegerFrom(0, MAX_WAYBACK, wayback) ||
    !isIntegerFrom(0, LABEL_LENGTH.max, length) ||
    (firstSeen !== null && !isDay(firstSeen))
  )
    throw new ApiError(
      'invalid_parameter',
      'cursor must be the next_cursor of an earlier page of the same search, with the same filters ' +
        'and the same sort; leave it out to start again',
    );
  return { page, after: { domain, wayback, length, firstSeen }, counted: countIn(count) };
}

// A forged count misleads only its sender.
function countIn([total, low, high, isExact]: CursorPosition): NameCount | undefined {
  if (!isIntegerFrom(0, MAX_NAMES, total) || !isIntegerFrom(0, MAX_NAMES, low)) return undefined;
  if (high !== null && !isIntegerFrom(0, MAX_NAMES, high)) return undefined;
  return { total, low, high, isExact: isExact === 1 };
}

function isDay(value: unknown): value is string {
  return typeof value === 'string' && isCalendarDate(value);
}

/** The search in a stable spelling. */
export function canonicalText(search: Search): string {
  const { placed, named } = filterText(search);
  return JSON.stringify(['search', ...placed, search.sort, ...named]);
}

function noteOn(domains: readonly Domain[], timedOut: boolean): { note?: string } {
  if (timedOut && domains.length === 0) return { note: NOTHING_KNOWN };
  const note = sandboxWords(...domains.map(({ confirmedBy }) => confirmedBy));
  return note === '' ? {} : { note };
}

const DEFAULT_PER_PAGE = 25;

/** One page: which, how long, and where it begins. */
interface Page extends Pick<DiscoveryQuery, 'after' | 'offset'> {
  readonly number: number;
  readonly size: number;
  /** As the page before carried it. */
  readonly counted?: NameCount | undefined;
}

@Injectable()
export class SearchService {
  constructor(
    private readonly gate: TierGate,
    private readonly budget: RecordBudget,
    private readonly domains: DomainRepository,
    private readonly config: Config,
  ) {}

  /**
   * One page of the available names that match. Costs the records returned, limited to the remaining budget.
   *
   * @throws {ApiError} invalid_parameter; key_required or tier_required when the tier does not include the
   * page; budget_exhausted
   */
  async searchDomains(sent: SearchQuery, caller: Caller): Promise<SearchResult> {
    const query = await resumeQuery(sent, SearchQuery);
    const search = { ...nameFilterOf(query), sort: orderOf(query.sort) };
    this.gate.assertShown(caller, query.state);
    const page = this.pageOf(query, search, caller);
    // One row more than a page has, which is not handed out: it tells whether there is a next page.
    const wanted = { ...search, after: page.after, offset: page.offset, limit: page.size + 1 };
    const found = await this.domains.search.discoverPage(wanted, page.counted);
    const counted = atLeast(found.counted, seenOf(page, found));
    const near = await this.findNear(search, page, found);
    const { granted, left } = await this.budget.charge(
      caller,
      Math.min(page.size, found.domains.length) + near.length,
    );
    const domains = found.domains.slice(0, granted);
    const hasMore = found.timedOut || found.domains.length > granted;
    const last = domains.at(-1);
    return {
      ok: true,
      results: domains.map((row) => toTierDto(row, caller.tier, this.config.links)),
      ...(search.reading && {
        read_as: readAs(search.reading),
        near: near
          .slice(0, granted - domains.length)
          .map((row) => toTierDto(row, caller.tier, this.config.links)),
      }),
      page: page.number,
      per_page: page.size,
      count: domains.length,
      ...totalsOf(counted),
      ...askedDays(query),
      has_more: hasMore,
      next_cursor:
        hasMore && caller.tier.paging ? nextCursor(query, search, { ...page, counted }, last) : null,
      ...(found.timedOut && { timed_out: true as const }),
      ...noteOn(domains, found.timedOut),
      ...left,
    };
  }

  /** Only where the first page has room for them. */
  private async findNear(
    { reading, ...search }: Search,
    page: Page,
    { domains, timedOut }: Discovered,
  ): Promise<Domain[]> {
    const room = page.size - domains.length;
    const isFirst = page.after === undefined && (page.offset ?? 0) === 0;
    if (!reading || !isFirst || timedOut || room <= 0) return [];
    return findNear(this.domains.search, { ...search, reading }, domains, room);
  }

  private pageOf(query: SearchQuery, search: Search, caller: Caller): Page {
    const { pageSize } = caller.tier;
    const size = query.per_page ?? Math.min(DEFAULT_PER_PAGE, pageSize);
    this.gate.assertIncluded(
      caller,
      (tier) => tier.pageSize >= size,
      `pages of ${size} records, only of ${pageSize}`,
    );
    if (query.cursor !== undefined) {
      if (query.page !== undefined)
        throw new ApiError('invalid_parameter', 'page and cursor exclude each other: send one of them');
      this.gate.assertIncluded(caller, (tier) => tier.paging, 'pages after the first');
      const { page, after, counted } = placeOf(query.cursor, search);
      return { number: page, size, after, counted };
    }
    const { page = 1 } = query;
    if (page > 1) this.gate.assertIncluded(caller, (tier) => tier.paging, 'pages after the first');
    if (page * size > MAX_PAGE_RECORDS)
      throw new ApiError(
        'invalid_parameter',
        `page must end within the first ${MAX_PAGE_RECORDS} records (page times per_page); go on with cursor`,
      );
    return { number: page, size, offset: (page - 1) * size };
  }
}

/**
 * Raises a count to the number of names already seen: the count may have timed out, or may come from a
 * replica that is behind the one that found the names.
 */
export function atLeast(counted: NameCount, seen: number): NameCount {
  const { total, low, high } = counted;
  return {
    ...counted,
    total: Math.max(total, seen),
    low: Math.max(low, seen),
    high: high && Math.max(high, seen),
  };
}

/** How many names are known to match by the end of a page. */
function seenOf({ offset = 0 }: Page, { domains }: Discovered): number {
  return domains.length === 0 ? 0 : offset + domains.length;
}

// A page that timed out before its first row is asked for again.
function nextCursor(query: SearchQuery, search: Search, page: Page, last: Domain | undefined): string | null {
  if (!last) return query.cursor ?? null;
  return cursorBehind(
    last,
    search,
    { page: page.number + 1, counted: page.counted },
    keptParameters(query, SearchQuery),
  );
}

@ApiTags('Discovery')
@Controller()
class SearchController {
  constructor(private readonly search: SearchService) {}

  @Get('api/v1/search')
  @CostsRecords()
  @ApiOperation({
    operationId: 'searchDomains',
    summary: 'Search the available .au names, page by page',
    description:
      'Filters by keyword or words, suffix, length, hyphens, digits, score and first day; four orders, each ' +
      "way. Costs as many records as it returns. Page size, paging and fields are the tier's.",
  })
  @ApiCommaList('tld')
  @ApiOkResponse({ type: SearchResult, description: 'One page of names.', headers: RATE_RESPONSE_HEADERS })
  @ApiFailures('key_required', 'tier_required', 'budget_exhausted', 'not_ready')
  searchDomains(@Query() query: SearchQuery, @CurrentCaller() caller: Caller): Promise<SearchResult> {
    return this.search.searchDomains(query, caller);
  }
}

@Module({
  imports: [DomainsModule, RateLimitModule],
  controllers: [SearchController],
  providers: [SearchService],
  exports: [SearchService],
})
export class SearchModule {}
