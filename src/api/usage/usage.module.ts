import { Controller, Get, Header, Module, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { accountOf, type Caller, CurrentCaller } from '../../access/caller.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { RATE_RESPONSE_HEADERS } from '../../access/rate.dto.js';
import { RequiresScope } from '../../access/requirements.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { NoParameters } from '../../errors/validation.pipe.js';
import { UsageHistoryRepository } from './usage-history.repository.js';
import { Usage, UsageHistory, UsageHistoryQuery } from './usage.dto.js';
import { MAX_DAYS, UsageHistoryService, UsageService } from './usage.service.js';

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
      'The budgets of the account that the key belongs to, and what its tier includes. For keys of any scope. ' +
      'Costs nothing.',
  })
  @ApiOkResponse({ type: Usage, description: 'What is left now.', headers: RATE_RESPONSE_HEADERS })
  @ApiFailures('key_required', 'key_invalid')
  readUsage(@Query() _: NoParameters, @CurrentCaller() caller: Caller): Promise<Usage> {
    return this.usage.readUsage(caller);
  }
}

const CSV_TYPE = 'text/csv';
const FAILURES = ['key_required', 'key_invalid'] as const;

@ApiTags('Account')
@Controller()
@RequiresScope('any')
export class UsageHistoryController {
  constructor(private readonly history: UsageHistoryService) {}

  @Get('api/v1/usage/history')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'readUsageHistory',
    summary: 'What was charged, by day and key',
    description:
      'The records that the budgets charged to the account, by day of UTC and by key: exactly those,' +
      ` over all instances. Kept 25 months; ${MAX_DAYS} days an answer at most. For keys of any scope. Costs nothing.`,
  })
  @ApiOkResponse({ type: UsageHistory, description: 'What was charged.' })
  @ApiFailures(...FAILURES)
  readHistory(@Query() query: UsageHistoryQuery, @CurrentCaller() caller: Caller): Promise<UsageHistory> {
    return this.history.readHistory(accountIn(caller), query);
  }

  @Get('api/v1/usage/history.csv')
  @Header('Cache-Control', 'no-store')
  @Header('Content-Type', `${CSV_TYPE}; charset=utf-8`)
  @ApiOperation({
    operationId: 'readUsageHistoryCsv',
    summary: 'What was charged, as CSV',
    description: 'The same as CSV: a line of names, and one for each day and key. Costs nothing.',
  })
  @ApiOkResponse({
    description: 'What was charged.',
    content: { [CSV_TYPE]: { schema: { type: 'string' } } },
  })
  @ApiFailures(...FAILURES)
  writeHistory(@Query() query: UsageHistoryQuery, @CurrentCaller() caller: Caller): Promise<string> {
    return this.history.writeHistory(accountIn(caller), query);
  }
}

function accountIn(caller: Caller): string {
  const account = accountOf(caller);
  if (account === null) throw new Error('the history is for callers with a key only');
  return account;
}

@Module({
  imports: [RateLimitModule],
  controllers: [UsageController, UsageHistoryController],
  providers: [UsageService, UsageHistoryRepository, UsageHistoryService],
  exports: [UsageHistoryService],
})
export class UsageModule {}
