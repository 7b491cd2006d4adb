import { Injectable } from '@nestjs/common';
import { Database } from '../db/database.js';

/** A request that may be sent again, known by account and key. */
export interface RepeatableRequest {
  readonly accountId: string;
  readonly key: string;
  readonly requestHash: Buffer;
}

export interface EarlierRequest {
  readonly requestHash: Buffer;
  /** What it made; null while it is under way. */
  readonly reference: string | null;
}

const KEPT = `interval '1 day'`;
/** A request that is under way for longer was lost with its process. */
const LOST_AFTER = `interval '2 minutes'`;

@Injectable()
export class IdempotentRequestRepository {
  constructor(private readonly database: Database) {}

  /** @returns null when it is the first with its key; `no_account` when the account was removed meanwhile */
  async claim({
    accountId,
    key,
    requestHash,
  }: RepeatableRequest): Promise<EarlierRequest | 'no_account' | null> {
    const claimed = await this.database.query(
      `INSERT INTO idempotent_request AS earlier (account_id, key, request_hash)
       SELECT id, $2::text, $3::bytea FROM account WHERE id = $1::uuid
       ON CONFLICT (account_id, key) DO UPDATE
          SET request_hash = excluded.request_hash, reference = NULL, begun_at = now()
        WHERE earlier.begun_at <= now() - ${KEPT}
           OR (earlier.reference IS NULL AND earlier.begun_at <= now() - ${LOST_AFTER})
       RETURNING key`,
      [accountId, key, requestHash],
    );
    if (claimed.length > 0) return null;
    const [earlier] = await this.database.query<EarlierRequest>(
      `SELECT request_hash AS "requestHash", reference FROM idempotent_request WHERE account_id = $1 AND key = $2`,
      [accountId, key],
    );
    return earlier ?? 'no_account';
  }

  /** Begins again what an earlier request made and is gone. @returns whether no other request did so first */
  async reclaim({ accountId, key }: RepeatableRequest, reference: string): Promise<boolean> {
    const rows = await this.database.query(
      `UPDATE idempotent_request SET reference = NULL, begun_at = now()
        WHERE account_id = $1 AND key = $2 AND reference = $3 RETURNING key`,
      [accountId, key, reference],
    );
    return rows.length > 0;
  }

  async finish({ accountId, key }: RepeatableRequest, reference: string): Promise<void> {
    await this.database.query(
      'UPDATE idempotent_request SET reference = $3 WHERE account_id = $1 AND key = $2',
      [accountId, key, reference],
    );
  }

  /** Frees the key of a request that made nothing. */
  async release({ accountId, key }: RepeatableRequest): Promise<void> {
    await this.database.query(
      'DELETE FROM idempotent_request WHERE account_id = $1 AND key = $2 AND reference IS NULL',
      [accountId, key],
    );
  }

  async deleteOld(): Promise<void> {
    await this.database.query(`DELETE FROM idempotent_request WHERE begun_at <= now() - ${KEPT}`);
  }
}
