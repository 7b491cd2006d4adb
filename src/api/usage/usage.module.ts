import { Controller, Get, Header, Module, Query, Injectable } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags, ApiSchema } from '@nestjs/swagger';
import { accountOf, type Caller, CurrentCaller } from '../../access/caller.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { RATE_RESPONSE_HEADERS, Metered } from '../../access/rate.dto.js';
import { RequiresScope } from '../../access/requirements.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { NoParameters } from '../../errors/validation.pipe.js';
import { UsageHistoryRepository } from './usage-history.repository.js';
import { RecordBudget } from '../../access/record-budget.js';
import { toAllowance, Allowance } from '../../access/tier.dto.js';
import { Clock } from '../../db/database.js';
import { calendarDateOf } from '../../domains/schema/calendar-date.js';
import { ApiError } from '../../errors/api-error.js';
import { csvLine } from '../../validation/formats.js';
import { ALL_SCOPES } from '../../access/api-key.js';
import { TIER_NAMES } from '../../config/tiers.js';
import { Day } from '../../domains/name/name-parameters.js';
import { day, id, many, OK, one, oneOf, orNull, shape, someOf, text, whole } from '../../validation/shape.js';

@ApiSchema({ name: 'Usage', description: 'What is left of the budgets, and what the tier includes.' })
export class Usage extends shape({
  ...Metered.fields,
  ...OK,
  tier: oneOf(TIER_NAMES, "The account's tier.", 'starter'),
  scopes: someOf(ALL_SCOPES, 'What this key may be used for.', ['read']),
  includes: one(Allowance, 'What the tier includes.'),
}) {}

class UsageHistoryQuery {
  @Day('First day, of UTC. Left out: 29 days before the last.', '2026-11-01', 'UTC')
  from?: string;

  @Day('Last day, of UTC. Left out: today.', '2026-11-30', 'UTC')
  to?: string;
}

@ApiSchema({ name: 'UsageOfDay', description: 'What one key was charged on one day.' })
class UsageOfDay extends shape({
  day: day('The day, of UTC.', '2026-11-20'),
  key_id: orNull(
    id(
      'The key; null for what was asked on the pages by somebody signed in, or by an app that is connected.',
      '0b0a3c1e-6f5d-4f0e-9a51-0c8f1c7b2a4d',
    ),
  ),
  key_name: orNull(text('Its name; null where there is no key, or it was removed since.', 'My program')),
  records: whole('Records that were charged.', 1_250),
}) {}

@ApiSchema({ name: 'UsageHistory', description: 'What the budgets charged, by day and key.' })
export class UsageHistory extends shape({
  ...OK,
  from: day('First day.', '2026-11-01'),
  to: day('Last day.', '2026-11-30'),
  records: whole('Records that were charged in all.', 31_400),
  results: many(
    UsageOfDay,
    'By day and key, the oldest first; a day on which a key was charged nothing has no entry.',
  ),
}) {}

@Injectable()
export class UsageService {
  constructor(private readonly budget: RecordBudget) {}

  /** What the caller may still have, and what the tier includes; costs no record. */
  async readUsage(caller: Caller): Promise<Usage> {
    const { tier, key } = caller;
    return {
      ok: true,
      tier: tier.name,
      scopes: key?.scopes ?? [],
      includes: toAllowance(tier),
      ...(await this.budget.read(caller)),
    };
  }
}

const USUAL_DAYS = 30;
export const MAX_DAYS = 366;

/** What an account was charged in the days behind it. */
@Injectable()
export class UsageHistoryService {
  constructor(
    private readonly days: UsageHistoryRepository,
    private readonly budget: RecordBudget,
    private readonly clock: Clock,
  ) {}

  /** @throws {ApiError} invalid_parameter */
  async readHistory(accountId: string, query: UsageHistoryQuery): Promise<UsageHistory> {
    const { from, to } = daysOf(query, await this.clock.now());
    await this.budget.settle();
    const days = await this.days.listDays(accountId, from, to);
    return {
      ok: true,
      from,
      to,
      records: days.reduce((sum, { records }) => sum + records, 0),
      results: days.map(({ day, keyId, keyName, records }) => ({
        ...{ day, key_id: keyId, key_name: keyName, records },
      })),
    };
  }

  /** The same as CSV. @throws {ApiError} invalid_parameter */
  async writeHistory(accountId: string, query: UsageHistoryQuery): Promise<string> {
    const { results } = await this.readHistory(accountId, query);
    const lines = results.map(({ day, key_id, key_name, records }) =>
      csvLine([day, key_id, key_name, records]),
    );
    return csvLine(['day', 'key_id', 'key_name', 'records']) + lines.join('');
  }
}

/** The days that are asked for. @throws {ApiError} invalid_parameter */
export function daysOf(query: UsageHistoryQuery, now: Date): { from: string; to: string } {
  const to = query.to ?? calendarDateOf(now);
  const from = query.from ?? daysBefore(to, USUAL_DAYS - 1);
  if (from > to) throw new ApiError('invalid_parameter', 'from must not be later than to');
  if (from < daysBefore(to, MAX_DAYS - 1))
    throw new ApiError('invalid_parameter', `from and to must be within ${MAX_DAYS} days; ask year by year`);
  return { from, to };
}

/** @param day YYYY-MM-DD */
export function daysBefore(day: string, count: number): string {
  return calendarDateOf(new Date(day), -count);
}

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
class UsageHistoryController {
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
