import { Body, Controller, Get, HttpCode, Module, Post, Query, UseGuards, Injectable } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/caller.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { RATE_RESPONSE_HEADERS } from '../../access/rate.dto.js';
import { CostsRecords } from '../../access/requirements.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { JsonBodyGuard, NoParameters } from '../../errors/validation.pipe.js';
import { ExplainedSuggestResult, SuggestRequest, SuggestQuery, SuggestResult } from './suggest.dto.js';
import { ExplainedSuggestService } from './explained-suggest.service.js';
import { Config } from '../../config/config.js';
import { toDomainDto } from '../../domains/schema/domain-view.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { FirstOffers } from '../../domains/first-offers.js';
import { RecordBudget } from '../../access/record-budget.js';
import { adviceOn, noteOn } from './suggest-note.js';

const HINT = 'Try mode=contains, all suffixes or a lower min_wayback.';

@Injectable()
export class SuggestService {
  constructor(
    private readonly budget: RecordBudget,
    private readonly domains: DomainRepository,
    private readonly config: Config,
    private readonly first: FirstOffers,
  ) {}

  /**
   * The best available names that match. Costs the records returned, and is cut to what the budget has left.
   *
   * @throws {ApiError} budget_exhausted when nothing is left
   */
  async suggestDomains(query: SuggestQuery, caller: Caller): Promise<SuggestResult> {
    const found = await this.domains.search.discoverOffers({
      q: query.q,
      mode: query.mode,
      suffixes: query.tld ? [query.tld] : [],
      minWayback: query.min_wayback,
      limit: query.limit,
    });
    const wait = found.domains.length === 0 ? await this.first.describeWait() : null;
    const { granted, left } = await this.budget.charge(caller, found.domains.length);
    const results = found.domains.slice(0, granted);
    return {
      ok: true,
      query: query.q ?? '',
      mode: query.mode,
      min_wayback: query.min_wayback,
      tld: query.tld ?? '',
      count: results.length,
      results: results.map((row) => toDomainDto(row, this.config.links)),
      ...(found.timedOut && { timed_out: true as const }),
      note: noteOn(found, granted, left, adviceOn(wait, HINT)),
      ...left,
    };
  }
}

@ApiTags('Discovery')
@Controller()
class SuggestController {
  constructor(
    private readonly suggest: SuggestService,
    private readonly explained: ExplainedSuggestService,
  ) {}

  @Get('v1/suggest')
  @CostsRecords()
  @ApiOperation({
    operationId: 'suggestDomains',
    summary: 'Available .au names, ranked by archive score',
    description:
      'Names of the dataset whose label contains, starts with or ends with q, highest score first. ' +
      'Costs as many records as it returns.',
  })
  @ApiOkResponse({ type: SuggestResult, description: 'The best matches.', headers: RATE_RESPONSE_HEADERS })
  @ApiFailures('budget_exhausted')
  suggestDomains(@Query() query: SuggestQuery, @CurrentCaller() caller: Caller): Promise<SuggestResult> {
    return this.suggest.suggestDomains(query, caller);
  }

  @Post('api/v1/suggest')
  @HttpCode(200)
  @CostsRecords()
  @UseGuards(JsonBodyGuard)
  @ApiOperation({
    operationId: 'explainSuggestions',
    summary: 'Available .au names by several keywords, with reasons',
    description:
      'Names with any of the keywords and none of the excluded texts, like a glob, of a length, on ' +
      'offer under several suffixes; highest archive score first, and each says why it is where it ' +
      'is. Costs as many records as it returns.',
  })
  @ApiOkResponse({
    type: ExplainedSuggestResult,
    description: 'The best matches.',
    headers: RATE_RESPONSE_HEADERS,
  })
  @ApiFailures('unsupported_media_type', 'budget_exhausted', 'not_ready')
  explainSuggestions(
    @Query() _: NoParameters,
    @Body() request: SuggestRequest,
    @CurrentCaller() caller: Caller,
  ): Promise<ExplainedSuggestResult> {
    return this.explained.suggestDomains(request, caller);
  }
}

@Module({
  imports: [DomainsModule, RateLimitModule],
  controllers: [SuggestController],
  providers: [SuggestService, ExplainedSuggestService],
  exports: [SuggestService, ExplainedSuggestService],
})
export class SuggestModule {}
