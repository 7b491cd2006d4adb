import { Injectable } from '@nestjs/common';
import { type ApiKey, WORKS } from '../../../access/api-key.repository.js';
import { Database, type Queryable } from '../../../db/database.js';

/** A key, with whose it is. */
export type HeldKey = ApiKey & { readonly email: string; readonly works: boolean };

/** SQL on accounts and keys that only operators ask. */
@Injectable()
export class OperatorsAccountRepository {
  constructor(private readonly database: Database) {}

  /** The newest first. @param email null: of all accounts */
  async listKeys(email: string | null, limit: number): Promise<HeldKey[]> {
    return this.database.query<HeldKey>(
      `SELECT api_key.id, account.email, api_key.name, kind, scopes, start, tail, api_key.created_at AS "createdAt",
              expires_at AS "expiresAt", revoked_at AS "revokedAt", replaced_at AS "replacedAt",
              last_used_at AS "lastUsedAt", ${WORKS} AND account.disabled_at IS NULL AS works
         FROM api_key JOIN account ON account.id = account_id
        WHERE $1::text IS NULL OR account.email = lower($1)
        ORDER BY api_key.created_at DESC, api_key.id LIMIT $2`,
      [email, limit],
    );
  }

  async count(): Promise<{ all: number; disabled: number; working_keys: number }> {
    const [row] = await this.database.query<{ all: number; disabled: number; working_keys: number }>(
      `SELECT count(*)::int AS all, count(disabled_at)::int AS disabled,
              (SELECT count(*)::int FROM api_key WHERE ${WORKS}) AS working_keys
         FROM account`,
    );
    if (!row) throw new Error('an aggregate gave no row');
    return row;
  }

  async countBelongings(accountId: string): Promise<{ webhooks: number; sessions: number }> {
    const [row] = await this.database.query<{ webhooks: number; sessions: number }>(
      `SELECT (SELECT count(*)::int FROM webhook WHERE account_id = $1) AS webhooks,
              (SELECT count(*)::int FROM account_session WHERE account_id = $1 AND expires_at > now()) AS sessions`,
      [accountId],
    );
    if (!row) throw new Error('an aggregate gave no row');
    return row;
  }

  /** Ends the sessions as well. @returns whether it was not so before; null when there is no such account */
  async setDisabled(email: string, disabled: boolean, transaction: Queryable): Promise<boolean | null> {
    const [row] = await transaction.query<{ id: string; was: boolean }>(
      `SELECT id, disabled_at IS NOT NULL AS was FROM account WHERE email = lower($1) FOR UPDATE`,
      [email],
    );
    if (!row) return null;
    if (row.was === disabled) return false;
    await transaction.query(
      `UPDATE account SET disabled_at = CASE WHEN $2 THEN now() END, updated_at = now() WHERE id = $1`,
      [row.id, disabled],
    );
    if (disabled) await transaction.query('DELETE FROM account_session WHERE account_id = $1', [row.id]);
    return true;
  }

  /** Ends a key for good. @returns the account it belongs to; null when there is no such key, or it was revoked before */
  async revokeKey(id: string, transaction: Queryable): Promise<string | null> {
    const [row] = await transaction.query<{ account: string }>(
      `UPDATE api_key SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL RETURNING account_id AS account`,
      [id],
    );
    return row?.account ?? null;
  }
}
