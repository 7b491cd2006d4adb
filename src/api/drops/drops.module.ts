import { createHash } from 'node:crypto';
import { Controller, Get, Module, Query, Req, Res, Injectable } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { createEvents, type EventAttributes } from 'ics';
import { type Caller, CurrentCaller } from '../../access/caller.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { ETAG, isKnown } from '../../errors/conditions.js';
import { RATE_RESPONSE_HEADERS, setMeteredHeaders } from '../../access/rate.dto.js';
import { CostsRecords } from '../../access/requirements.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { ApiCommaList } from '../../domains/name/name-parameters.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import {
  UpcomingCalendarQuery,
  UpcomingQuery,
  UpcomingResult,
  type UpcomingDropDto,
} from './upcoming.dto.js';
import { TierGate } from '../../access/tier-gate.js';
import { Config } from '../../config/config.js';
import { Clock } from '../../db/database.js';
import { toTierDto } from '../../domains/schema/domain-view.js';
import {
  PURGE_ZONE,
  toPurgeZone,
  isCalendarDate,
  dayInPurgeZone,
  timeInPurgeZone,
} from '../../domains/schema/calendar-date.js';
import type {
  UpcomingDrop,
  UpcomingFilter,
  UpcomingPosition,
  PurgeRun,
} from '../../domains/feed/upcoming-drop.repository.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import {
  keptParameters,
  resumeQuery,
  isIntegerFrom,
  isNameText,
  readCursor,
  writeCursor,
} from '../../domains/schema/page-cursor.js';
import { ApiError } from '../../errors/api-error.js';
import { RecordBudget, type Spent } from '../../access/record-budget.js';
import { MAX_WAYBACK } from '../../domains/schema/domain.js';

const MAX_NAMES_PER_RUN = 10;

/** The two runs of a day are half an hour apart; a run takes minutes. */
const RUN_MINUTES = 30;
const CALENDAR = {
  productId: '-//Bowerbird//Upcoming drops//EN',
  calName: '.au names about to drop',
  method: 'PUBLISH',
};

interface CalendarContent {
  readonly runs: readonly PurgeRun[];
  /** Of every run the best names, best first. */
  readonly best: readonly UpcomingDrop[];
  readonly filter: UpcomingFilter;
  readonly now: Date;
  readonly baseUrl: string;
}

/**
 * The purge runs as iCalendar (RFC 5545), one event per run. The text is ASCII because lines are folded by
 * characters, not by bytes.
 */
function calendarOf(content: CalendarContent): string {
  const { error, value } = createEvents(
    content.runs.map((run) => eventOf(run, content)),
    CALENDAR,
  );
  if (value === null) throw error ?? new Error('the calendar was not written');
  return withZone(value);
}

function eventOf(run: PurgeRun, { best, filter, now, baseUrl }: CalendarContent): EventAttributes {
  const names = best.filter(
    ({ purgeAt, kind }) => purgeAt.getTime() === run.purgeAt.getTime() && kind === run.kind,
  );
  const event = {
    uid: `${uidOf(run, filter)}@${new URL(baseUrl).hostname}`,
    // Not in the package's types, and then the time of its own clock.
    // A calendar that has not changed has the same text.
    timestamp: (run.listedAt ?? now).getTime(),
    start: run.purgeAt.getTime(),
    startInputType: 'utc' as const,
    startOutputType: 'utc' as const,
    duration: { minutes: RUN_MINUTES },
    title: `${counted(run)} to be purged`,
    description: describe(run, names),
    url: `${baseUrl}/api/v1/drops/upcoming?date=${dayInPurgeZone(run.purgeAt)}`,
    transp: 'TRANSPARENT' as const,
  };
  return event;
}

/** The same for the same run, whenever it is asked for; filters make a calendar of their own. */
function uidOf({ purgeAt, kind }: PurgeRun, filter: UpcomingFilter): string {
  const of = createHash('sha256').update(canonicalText(filter)).digest('hex').slice(0, 12);
  const at = purgeAt.toISOString().replace(/[-:]|\.\d+/g, '');
  return `purge-${at}-${kind ?? 'any'}-${of}`;
}

function counted({ names, kind }: PurgeRun): string {
  return `${names} ${kind ?? 'listed'} .au ${names === 1 ? 'name' : 'names'}`;
}

function describe(run: PurgeRun, best: readonly UpcomingDrop[]): string {
  const time =
    `${timeInPurgeZone(run.purgeAt)} AEST (${PURGE_ZONE}, UTC+10), ` +
    `${run.purgeAt.toISOString().slice(11, 16)} UTC`;
  const names = best.map(({ domain }) => `${domain.domain} (${domain.wayback})`);
  return [
    `${counted(run)}, purged at ${time}.`,
    ...(run.approximate > 0 ? [`${run.approximate} of them may go a day earlier.`] : []),
    ...(names.length > 0 ? [`Best archive scores: ${names.join(', ')}.`] : []),
    'A listed name may be rescued until its purge; nothing is known to be available before a registry says so.',
  ].join('\n');
}

// A calendar must have a component, also while nothing is listed; and so it says which zone its texts speak of.
function withZone(calendar: string): string {
  const zone = [
    'BEGIN:VTIMEZONE',
    `TZID:${PURGE_ZONE}`,
    'BEGIN:STANDARD',
    'DTSTART:19700101T000000',
    'TZOFFSETFROM:+1000',
    'TZOFFSETTO:+1000',
    'TZNAME:AEST',
    'END:STANDARD',
    'END:VTIMEZONE',
    '',
  ].join('\r\n');
  return calendar.replace(/(?=BEGIN:VEVENT|END:VCALENDAR)/, zone);
}

/** The cursor of the page behind this name. @param kept the filter as it was sent (keptParameters) */
export function cursorBehind(
  { purgeAt, wayback, domain }: UpcomingPosition,
  filter: UpcomingFilter,
  kept: [] | [string] = [],
): string {
  return writeCursor(canonicalText(filter), [purgeAt.toISOString(), wayback, domain, ...kept]);
}

/** @throws {ApiError} invalid_parameter for a cursor that was altered or belongs to other filters */
export function positionOf(cursor: string, filter: UpcomingFilter): UpcomingPosition {
  const [purgeAt, wayback, domain] = readCursor(canonicalText(filter), cursor) ?? [];
  if (!isMoment(purgeAt) || !isIntegerFrom(0, MAX_WAYBACK, wayback) || !isNameText(domain))
    throw new ApiError(
      'invalid_parameter',
      'cursor must be the next_cursor of an earlier page with the same filters; leave it out to start again',
    );
  return { purgeAt: new Date(purgeAt), wayback, domain };
}

/** The filter in a stable spelling. */
export function canonicalText({ day, suffixes, kind, q, minWayback }: UpcomingFilter): string {
  return JSON.stringify(['upcoming', day, suffixes.toSorted(), kind, q, minWayback]);
}

function isMoment(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/.test(value) &&
    isCalendarDate(value.slice(0, 10))
  );
}

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
    const found = await this.domains.upcoming.listDrops(filter, now, after, wanted + 1);
    const { granted, left } = await this.budget.charge(caller, Math.min(wanted, found.length));
    const drops = found.slice(0, granted);
    const hasMore = found.length > granted;
    const last = drops.at(-1);
    return {
      ok: true,
      time_zone: PURGE_ZONE,
      ...(query.date !== undefined && { date: query.date }),
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
   * free, and so is a calendar that the caller has.
   *
   * @param known the header If-None-Match
   * @throws {ApiError} invalid_parameter; key_required or tier_required; budget_exhausted
   */
  async drawCalendar(
    query: UpcomingQuery,
    caller: Caller,
    known: string | undefined,
  ): Promise<Spent<string>> {
    if (query.cursor !== undefined)
      throw new ApiError('invalid_parameter', 'cursor has no meaning for a calendar, which has no pages');
    const filter = filterOf(query);
    const wanted = this.limitOf(query, caller);
    const now = await this.clock.now();
    const [runs, found] = await Promise.all([
      this.domains.upcoming.listRuns(filter, now),
      this.domains.upcoming.listBest(filter, now, MAX_NAMES_PER_RUN, wanted),
    ]);
    const draw = (best: readonly UpcomingDrop[]) =>
      calendarOf({ runs, best, filter, now, baseUrl: this.config.links.baseUrl });
    const whole = draw(found);
    const cost = isKnown(known, whole) ? 0 : found.length;
    const { granted, left } = await this.budget.charge(caller, cost);
    return { result: granted === cost ? whole : draw(found.slice(0, granted)), left };
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

const JSON_TYPE = 'application/json';
const CALENDAR_TYPE = 'text/calendar';
const CALENDAR_CONTENT = { [CALENDAR_TYPE]: { schema: { type: 'string' as const } } };
const FAILURES = ['key_required', 'tier_required', 'budget_exhausted'] as const;

@ApiTags('Discovery')
@Controller()
class DropsController {
  constructor(private readonly drops: DropsService) {}

  @Get('api/v1/drops/upcoming')
  @CostsRecords()
  @ApiOperation({
    operationId: 'listUpcomingDrops',
    summary: 'The names that are about to drop',
    description:
      'Names on the official drop lists whose purge lies ahead, the next purge first, in each the ' +
      'best archive score first. A listed name may be rescued until its purge, and is offered by ' +
      'search and suggest only when a registry has called it free afterwards. Costs as many ' +
      "records as it returns. Number of names, paging and fields are the tier's. With `Accept: " +
      'text/calendar` the answer is the calendar of upcoming.ics.',
  })
  @ApiCommaList('tld')
  @ApiExtraModels(UpcomingResult)
  @ApiOkResponse({
    description: 'A page of names; or the calendar, for those who accept it rather than JSON.',
    headers: RATE_RESPONSE_HEADERS,
    content: { [JSON_TYPE]: { schema: { $ref: getSchemaPath(UpcomingResult) } }, ...CALENDAR_CONTENT },
  })
  @ApiFailures(...FAILURES)
  async listUpcoming(
    @Query() query: UpcomingQuery,
    @CurrentCaller() caller: Caller,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UpcomingResult | string> {
    response.vary('Accept');
    const prefersCalendar = request.accepts([JSON_TYPE, CALENDAR_TYPE]) === CALENDAR_TYPE;
    return prefersCalendar
      ? this.sendCalendar(query, caller, request, response)
      : this.drops.listUpcoming(query, caller);
  }

  @Get('api/v1/drops/upcoming.ics')
  @CostsRecords()
  @ApiOperation({
    operationId: 'calendarOfUpcomingDrops',
    summary: 'The names that are about to drop, as a calendar',
    description:
      'iCalendar (RFC 5545) to subscribe to: one event a purge run, with the number of its names ' +
      'and the best of them, up to ten a run and `limit` in all. Costs the names it names; counts ' +
      'cost nothing, nor does a calendar that If-None-Match names. The UID of an event stays the same.',
  })
  @ApiCommaList('tld')
  @ApiOkResponse({
    description: 'The calendar.',
    headers: { ...RATE_RESPONSE_HEADERS, ...ETAG },
    content: CALENDAR_CONTENT,
  })
  @ApiFailures(...FAILURES)
  drawCalendar(
    @Query() query: UpcomingCalendarQuery,
    @CurrentCaller() caller: Caller,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return this.sendCalendar(query, caller, request, response);
  }

  private async sendCalendar(
    query: UpcomingQuery,
    caller: Caller,
    request: Request,
    response: Response,
  ): Promise<string> {
    const known = request.headers['if-none-match'];
    const { result, left } = await this.drops.drawCalendar(query, caller, known);
    setMeteredHeaders(request, response, left);
    // Programs with calendars ask again and again.
    response.set('Cache-Control', 'private, no-cache');
    if (isKnown(known, result)) request.headers['if-none-match'] = known;
    response.type(`${CALENDAR_TYPE}; charset=utf-8`);
    return result;
  }
}

@Module({
  imports: [DomainsModule, RateLimitModule],
  controllers: [DropsController],
  providers: [DropsService],
  exports: [DropsService],
})
export class DropsModule {}
