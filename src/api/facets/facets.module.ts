import { Controller, Get, Module, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/caller.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { RATE_RESPONSE_HEADERS } from '../../access/rate.dto.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { ApiCommaList } from '../../domains/name/name-parameters.js';
import { NameFilterQuery } from '../../domains/schema/filters/parameters.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { FacetsResult } from './facets.dto.js';
import { FacetsService } from './facets.service.js';

@ApiTags('Discovery')
@Controller()
export class FacetsController {
  constructor(private readonly facets: FacetsService) {}

  @Get('api/v1/facets')
  @ApiOperation({
    operationId: 'countFacets',
    summary: 'Count the available .au names by suffix, length, hyphens, digits, score and month',
    description:
      'Takes the filters of search, and says how many of the names that match have each value: ' +
      'what a filter more would leave. Each value comes as the parameters that ask for it. Costs ' +
      'nothing without q, and one record with it.',
  })
  @ApiCommaList('tld')
  @ApiOkResponse({ type: FacetsResult, description: 'The counts.', headers: RATE_RESPONSE_HEADERS })
  @ApiFailures('key_required', 'tier_required', 'budget_exhausted')
  countFacets(@Query() query: NameFilterQuery, @CurrentCaller() caller: Caller): Promise<FacetsResult> {
    return this.facets.countFacets(query, caller);
  }
}

@Module({
  imports: [DomainsModule, RateLimitModule],
  controllers: [FacetsController],
  providers: [FacetsService],
  exports: [FacetsService],
})
export class FacetsModule {}
