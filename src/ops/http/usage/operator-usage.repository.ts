import { Injectable } from '@nestjs/common';
import { Database } from '../../../db/database.js';
import type { ChargedDay } from './usage.dto.js';

/** Days from one to another, both included, of one account or of all (null). */
export interface ChargedDays {
  readonly from: string;
  readonly to: string;
  readonly account: string | null;
}

const IN = `day BETWEEN $1::date AND $2::date AND ($3::uuid IS NULL OR usage_day.account_id = $3)`;

/** What the budgets charged, of all accounts; budget.repository.ts writes it. */
@Injectable()
export class OperatorUsageRepository {
  constructor(private readonly database: Database) {}

  async listCharged(
    { from, to, account }: ChargedDays,
    limit: number,
    offset: number,
  ): Promise<ChargedDay[]> {
    return this.database.query<ChargedDay & Record<string, unknown>>(
      `SELECT to_char(day, 'YYYY-MM-DD') AS day, account.id AS account, email, tier, key_id, api_key.name AS key_name,
              records::float8 AS records
         FROM usage_day JOIN account ON account.id = usage_day.account_id LEFT JOIN api_key ON api_key.id = key_id
        WHERE ${IN}
        ORDER BY usage_day.day, account.id, key_id NULLS LAST LIMIT $4 OFFSET $5`,
      [from, to, account, limit, offset],
    );
  }

  /** The sum of all pages. */
  async countCharged({ from, to, account }: ChargedDays): Promise<number> {
    const [row] = await this.database.query<{ records: number }>(
      `SELECT coalesce(sum(records), 0)::float8 AS records FROM usage_day
         JOIN account ON account.id = usage_day.account_id WHERE ${IN}`,
      [from, to, account],
    );
    return row?.records ?? 0;
  }
}
