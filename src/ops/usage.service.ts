import { Injectable } from '@nestjs/common';
import { ApiError } from '../errors/api-error.js';
import { daysOf } from '../api/usage/usage.service.js';
import { Clock } from '../db/database.js';
import { csvLine } from '../validation/formats.js';
import type { AnswerOf } from './answers.js';
import { type ChargedDays, OperatorsRepository } from './operators.repository.js';

/** Rows of a page. */
const PAGE_ROWS = 500;

/** Days (YYYY-MM-DD), of one account or of all. */
export interface UsageQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly account?: string | undefined;
}

/** Lines of one file. It is made in memory: 100,000 lines are about 15 MB. */
const MAX_CSV_ROWS = 100_000;
const COLUMNS = ['day', 'account', 'email', 'tier', 'key_id', 'key_name', 'records'] as const;

/** What the budgets charged, by account, key and day: the source of invoices. */
@Injectable()
export class OperatorUsage {
  constructor(
    private readonly operators: OperatorsRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws {ApiError} invalid_parameter */
  async list(query: UsageQuery & { readonly page: number }): Promise<AnswerOf<'Charged'>> {
    const days = await this.daysOf(query);
    const [rows, records] = await Promise.all([
      this.operators.listCharged(days, PAGE_ROWS + 1, (query.page - 1) * PAGE_ROWS),
      this.operators.countCharged(days),
    ]);
    const { from, to } = days;
    const results = rows.slice(0, PAGE_ROWS);
    return { ok: true, from, to, records, results, has_more: rows.length > PAGE_ROWS };
  }

  /** The same days as CSV. @throws {ApiError} invalid_parameter, limit_reached */
  async write(query: UsageQuery): Promise<string> {
    const rows = await this.operators.listCharged(await this.daysOf(query), MAX_CSV_ROWS + 1, 0);
    if (rows.length > MAX_CSV_ROWS)
      throw new ApiError(
        'limit_reached',
        `A file has ${MAX_CSV_ROWS} lines at most; ask for fewer days, or for one account`,
      );
    return csvLine([...COLUMNS]) + rows.map((row) => csvLine(COLUMNS.map((column) => row[column]))).join('');
  }

  private async daysOf({ from, to, account }: UsageQuery): Promise<ChargedDays> {
    return { ...daysOf({ from, to }, await this.clock.now()), account: account ?? null };
  }
}
