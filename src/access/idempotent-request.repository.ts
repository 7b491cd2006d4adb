import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../db/database.js';

/** A request that may be sent again, known by who sends it and its key. */
export interface RepeatableRequest {
  /** `account:<id>` or `operator:<name>`. */
  readonly owner: string;
  /** Its keys go with it; null for an operator. */
  readonly accountId: string | null;
  readonly key: string;
  readonly requestHash: Buffer;
}

export interface EarlierRequest {
  readonly requestHash: Buffer;
  /** What it made. */
  readonly reference: string;
}

const KEPT = `interval '1 day'`;

@Injectable()
export class IdempotentRequestRepository {
  constructor(private readonly database: Database) {}

  async find({ owner, key }: RepeatableRequest): Promise<EarlierRequest | null> {
    const [earlier] = await this.database.query<EarlierRequest>(
      `SELECT request_hash AS "requestHash", reference FROM idempotent_request
        WHERE owner = $1 AND key = $2 AND begun_at > now() - ${KEPT}`,
      [owner, key],
    );
    return earlier ?? null;
  }

  /**
   * Writes down what a request made. Of two with one key, the second waits here until the transaction of the first has
   * ended.
   *
   * @param replaced what an earlier request made, and is gone
   * @returns whether it is the first with its key, and its account is there
   */
  async insert(
    { owner, accountId, key, requestHash }: RepeatableRequest,
    reference: string,
    replaced: string | null,
    transaction: Queryable = this.database,
  ): Promise<boolean> {
    const rows = await transaction.query(
      `WITH old AS (DELETE FROM idempotent_request
                     WHERE owner = $1::text AND key <> $2::text AND begun_at <= now() - ${KEPT})
       INSERT INTO idempotent_request AS earlier (owner, key, account_id, request_hash, reference)
       SELECT $1, $2, $3::uuid, $4::bytea, $5::text
        WHERE $3 IS NULL OR EXISTS (SELECT FROM account WHERE id = $3)
       ON CONFLICT (owner, key) DO UPDATE
          SET request_hash = excluded.request_hash, reference = excluded.reference, begun_at = now()
        WHERE earlier.begun_at <= now() - ${KEPT} OR earlier.reference = $6::text
       RETURNING key`,
      [owner, key, accountId, requestHash, reference, replaced],
    );
    return rows.length > 0;
  }

  async deleteOld(): Promise<void> {
    await this.database.query(`DELETE FROM idempotent_request WHERE begun_at <= now() - ${KEPT}`);
  }
}
