import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../auth/caller.js';
import { ApiFailures } from '../errors/api-failures.decorator.js';
import { CostsRecords } from '../rate-limit/costs-records.decorator.js';
import { RATE_RESPONSE_HEADERS } from '../rate-limit/rate-response-headers.js';
import { SuggestQuery, SuggestResult } from './suggest.dto.js';
import { SuggestService } from './suggest.service.js';

@ApiTags('Discovery')
@Controller()
export class SuggestController {
  constructor(private readonly suggest: SuggestService) {}

  @Get('v1/suggest')
  @CostsRecords()
  @ApiOperation({
    operationId: 'suggestDomains',
    summary: 'Available .au names, ranked by archive score',
    description:
      'Names of the dataset whose label contains, starts with or ends with q, highest score first. Costs as many records as it returns.',
  })
  @ApiOkResponse({ type: SuggestResult, description: 'The best matches.', headers: RATE_RESPONSE_HEADERS })
  @ApiFailures(
    'invalid_parameter',
    'budget_exhausted',
    'too_many_requests',
    'internal_error',
    'database_unavailable',
  )
  suggestDomains(@Query() query: SuggestQuery, @CurrentCaller() caller: Caller): Promise<SuggestResult> {
    return this.suggest.suggestDomains(query, caller);
  }
}
