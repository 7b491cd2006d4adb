import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../errors/api-error.js';
import { daysOf } from '../../../api/usage/usage.service.js';
import { Clock } from '../../../db/clock.js';
import { csvLine } from '../../../validation/formats.js';
import { type ChargedDays, OperatorUsageRepository } from './operator-usage.repository.js';
import { type Charged, type ChargedPageQuery, type ChargedQuery, USAGE_PAGE_ROWS } from './usage.dto.js';

/** Lines of one file; it is made in memory, and 100,000 are about 15 MB. */
const MAX_CSV_ROWS = 100_000;
const COLUMNS = ['day', 'account', 'email', 'tier', 'key_id', 'key_name', 'records'] as const;

/** What invoices are made from: what the budgets charged, by account, key and day. */
@Injectable()
export class OperatorUsage {
  constructor(
    private readonly usage: OperatorUsageRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws {ApiError} invalid_parameter */
  async list(query: ChargedPageQuery): Promise<Charged> {
    const days = await this.daysOf(query);
    const [rows, records] = await Promise.all([
      this.usage.listCharged(days, USAGE_PAGE_ROWS + 1, (query.page - 1) * USAGE_PAGE_ROWS),
      this.usage.countCharged(days),
    ]);
    const { from, to } = days;
    const results = rows.slice(0, USAGE_PAGE_ROWS);
    return { ok: true, from, to, records, results, has_more: rows.length > USAGE_PAGE_ROWS };
  }

  /** All of it as CSV. @throws {ApiError} invalid_parameter, limit_reached */
  async write(query: ChargedQuery): Promise<string> {
    const rows = await this.usage.listCharged(await this.daysOf(query), MAX_CSV_ROWS + 1, 0);
    if (rows.length > MAX_CSV_ROWS)
      throw new ApiError(
        'limit_reached',
        `A file has ${MAX_CSV_ROWS} lines at most; ask for fewer days, or for one account`,
      );
    return csvLine([...COLUMNS]) + rows.map((row) => csvLine(COLUMNS.map((column) => row[column]))).join('');
  }

  private async daysOf({ from, to, account }: ChargedQuery): Promise<ChargedDays> {
    return { ...daysOf({ from, to }, await this.clock.now()), account: account ?? null };
  }
}
