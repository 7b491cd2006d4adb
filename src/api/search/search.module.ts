import { Controller, Get, Module, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/caller.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { RATE_RESPONSE_HEADERS } from '../../access/rate.dto.js';
import { CostsRecords } from '../../access/requirements.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { ApiCommaList } from '../../domains/name/name-parameters.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { SearchQuery, SearchResult } from './search.dto.js';
import { SearchService } from './search.service.js';

@ApiTags('Discovery')
@Controller()
export class SearchController {
  constructor(private readonly search: SearchService) {}

  @Get('api/v1/search')
  @CostsRecords()
  @ApiOperation({
    operationId: 'searchDomains',
    summary: 'Search the available .au names, page by page',
    description:
      'Filters by keyword, suffix, length, hyphens, digits, score and first day; four orders, each ' +
      "way. Costs as many records as it returns. Page size, paging and fields are the tier's.",
  })
  @ApiCommaList('tld')
  @ApiOkResponse({ type: SearchResult, description: 'One page of names.', headers: RATE_RESPONSE_HEADERS })
  @ApiFailures('key_required', 'tier_required', 'budget_exhausted')
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
