import { Injectable } from '@nestjs/common';
import { Database } from '../../db/database.js';

/** What one key was charged on one day. */
export interface KeyDay {
  /** YYYY-MM-DD, of UTC. */
  readonly day: string;
  /** Null: asked on the pages, or by an app that is connected. */
  readonly keyId: string | null;
  /** Null as well for a key that was removed meanwhile. */
  readonly keyName: string | null;
  readonly records: number;
}

/** What the budgets charged, by account, key and day; budget.repository.ts writes it. */
@Injectable()
export class UsageHistoryRepository {
  constructor(private readonly database: Database) {}

  /** Both days are included; days on which nothing was charged have no entry. */
  async listDays(accountId: string, from: string, to: string): Promise<KeyDay[]> {
    return this.database.query<KeyDay>(
      `SELECT to_char(day, 'YYYY-MM-DD') AS day, key_id AS "keyId", api_key.name AS "keyName",
              records::float8 AS records
         FROM usage_day LEFT JOIN api_key ON api_key.id = key_id
        WHERE usage_day.account_id = $1 AND day BETWEEN $2::date AND $3::date
        ORDER BY day, key_id NULLS LAST`,
      [accountId, from, to],
    );
  }
}
