import { Body, Controller, Get, HttpCode, Module, Post, Query, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/caller.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { RATE_RESPONSE_HEADERS } from '../../access/rate.dto.js';
import { CostsRecords } from '../../access/requirements.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { JsonBodyGuard } from '../../errors/request-body.js';
import { NoParameters } from '../../errors/validation.pipe.js';
import { ExplainedSuggestResult, SuggestRequest } from './explained-suggest.dto.js';
import { ExplainedSuggestService } from './explained-suggest.service.js';
import { SuggestQuery, SuggestResult } from './suggest.dto.js';
import { SuggestService } from './suggest.service.js';

@ApiTags('Discovery')
@Controller()
export class SuggestController {
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
  @ApiFailures('unsupported_media_type', 'budget_exhausted')
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
