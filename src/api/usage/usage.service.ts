import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/caller.js';
import { RecordBudget } from '../../access/record-budget.js';
import { toAllowance } from '../../access/tier.dto.js';
import { Clock } from '../../db/database.js';
import { calendarDateOf } from '../../domains/schema/calendar-date.js';
import { ApiError } from '../../errors/api-error.js';
import { csvLine } from '../../validation/formats.js';
import { UsageHistoryRepository } from './usage-history.repository.js';
import type { Usage, UsageHistory, UsageHistoryQuery } from './usage.dto.js';

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
/** Days of one answer. */
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
