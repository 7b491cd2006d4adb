import { Controller, Get, Module, Query, Req, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { type Caller, CurrentCaller } from '../../access/caller.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { RATE_RESPONSE_HEADERS, setMeteredHeaders } from '../../access/rate.dto.js';
import { CostsRecords } from '../../access/requirements.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { ApiCommaList } from '../../domains/name/name-parameters.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { DropsService } from './drops.service.js';
import { UpcomingCalendarQuery, UpcomingQuery, UpcomingResult } from './upcoming.dto.js';

const JSON_TYPE = 'application/json';
const CALENDAR_TYPE = 'text/calendar';
const CALENDAR_CONTENT = { [CALENDAR_TYPE]: { schema: { type: 'string' as const } } };
const FAILURES = ['key_required', 'tier_required', 'budget_exhausted'] as const;

@ApiTags('Discovery')
@Controller()
export class DropsController {
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
      'cost nothing. The UID of an event stays the same.',
  })
  @ApiCommaList('tld')
  @ApiOkResponse({ description: 'The calendar.', headers: RATE_RESPONSE_HEADERS, content: CALENDAR_CONTENT })
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
    const { result, left } = await this.drops.drawCalendar(query, caller);
    setMeteredHeaders(request, response, left);
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
