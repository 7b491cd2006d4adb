import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/caller.js';
import { RequiresScope } from '../../access/requirements.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { NoParameters } from '../../errors/requests/no-parameters.dto.js';
import { RATE_RESPONSE_HEADERS } from '../../access/rate.dto.js';
import { Usage } from './usage.dto.js';
import { UsageService } from './usage.service.js';

@ApiTags('Account')
@Controller()
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  @Get('api/v1/usage')
  @RequiresScope('any')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'readUsage',
    summary: 'What is left of the budgets',
    description:
      'The budgets of the account that the key belongs to, and what its tier includes. For keys of any scope. Costs nothing.',
  })
  @ApiOkResponse({ type: Usage, description: 'What is left now.', headers: RATE_RESPONSE_HEADERS })
  @ApiFailures(
    'invalid_parameter',
    'key_required',
    'key_invalid',
    'too_many_requests',
    'internal_error',
    'database_unavailable',
  )
  readUsage(@Query() _: NoParameters, @CurrentCaller() caller: Caller): Promise<Usage> {
    return this.usage.readUsage(caller);
  }
}
