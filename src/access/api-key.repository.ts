import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../db/database.js';
import type { KeyKind, MintedKey, Scope } from './api-key.js';
import type { TierName } from '../config/tiers.js';

/**
 * Serialises additions to an account until the end of the transaction, so that counts stay right.
 *
 * @returns false if the account was deleted since its key or session was checked
 */
export async function lockAccount(transaction: Queryable, accountId: string): Promise<boolean> {
  const rows = await transaction.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [accountId]);
  return rows.length > 0;
}

/** The holder of a key or access token, as every request needs it. */
export interface KeyHolder {
  readonly keyId: string;
  readonly accountId: string;
  readonly tier: TierName;
  readonly kind: KeyKind | 'oauth';
  readonly scopes: readonly Scope[];
  /** From the look-up to its end, by the database's clock, in milliseconds; null: until it is revoked. */
  readonly leftMs: number | null;
  /** The resources an access token is valid for; null for a key, which is valid for all. */
  readonly audience: readonly string[] | null;
  /** From which alone it may be used; none: from anywhere. */
  readonly networks: readonly string[];
}

/** A key as its owner sees it. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly kind: KeyKind;
  readonly scopes: readonly Scope[];
  readonly start: string;
  readonly tail: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly replacedAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly networks: readonly string[];
}

export interface NewApiKey {
  readonly accountId: string;
  readonly name: string;
  readonly kind: KeyKind;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  /** Made by the form that asks for the key, so that sending the form twice makes one key. */
  readonly submission: string;
  /** Left out: it may be used from anywhere. */
  readonly networks?: readonly string[];
  /** The key that this one takes over from, and until when both work. */
  readonly replaces?: { readonly keyId: string; readonly until: Date; readonly endsNow: boolean };
}

/** The condition for working keys. */
export const WORKS = `api_key.revoked_at IS NULL AND coalesce(api_key.expires_at > now(), true)`;

/** The same condition for a key in memory. */
export function isWorking({ revokedAt, expiresAt }: ApiKey, now: Date): boolean {
  return !revokedAt && (!expiresAt || expiresAt > now);
}

/** Whether the key can be replaced; one that was replaced already ends with that change-over. */
export function isReplaceable(key: ApiKey, now: Date): boolean {
  return isWorking(key, now) && key.replacedAt === null;
}

/** SQL on keys. */
@Injectable()
export class ApiKeyRepository {
  constructor(private readonly database: Database) {}

  /** The holder of the working key or access token with this hash, and the version of the keys at this read. */
  async findHolder(hash: Buffer): Promise<{ holder: KeyHolder | null; version: number }> {
    // One round trip for key and version.
    const [row] = await this.database.query<VersionRow & Partial<KeyHolder>>(
      `SELECT auth_version.version::float8 AS version, holder.*,
              (extract(epoch FROM holder.ends_at - clock_timestamp()) * 1000)::float8 AS "leftMs"
         FROM auth_version
         LEFT JOIN (
           SELECT api_key.id AS "keyId", api_key.account_id AS "accountId", account.tier, api_key.kind,
                  api_key.scopes, api_key.expires_at AS ends_at, NULL::jsonb AS audience, api_key.networks::text[] AS networks
             FROM api_key JOIN account ON account.id = api_key.account_id
            WHERE api_key.hash = $1 AND ${WORKS} AND account.disabled_at IS NULL
           UNION ALL
           SELECT token.id, token.account_id, account.tier, 'oauth',
                  ARRAY(SELECT * FROM jsonb_array_elements_text(token.scopes::jsonb) scope
                         WHERE scope <> 'offline_access'),
                  token.expires_at,
                  coalesce(token.resources::jsonb, '[]'), '{}'
             FROM oauth_access_token token JOIN account ON account.id = token.account_id
            WHERE token.token = encode($1, 'hex') AND token.expires_at > now() AND token.revoked IS NULL
              AND account.disabled_at IS NULL
         ) holder ON true`,
      [hash],
    );
    if (!row) throw new Error('the row of auth_version is missing');
    const { version, ...holder } = row;
    return { holder: isHolder(holder) ? holder : null, version };
  }

  /** The hashes in hexadecimal of working keys, access tokens and sessions of these tiers, last used first. */
  async listHolders(
    tiers: readonly TierName[],
    limit: number,
  ): Promise<{ hash: string; accountId: string; tier: TierName }[]> {
    return this.database.query(
      `SELECT hash, account.id AS "accountId", account.tier
         FROM (SELECT encode(hash, 'hex') AS hash, account_id, coalesce(last_used_at, created_at) AS used_at
                 FROM api_key WHERE ${WORKS}
                UNION ALL
               SELECT token, account_id, created_at FROM oauth_access_token
                WHERE expires_at > now() AND revoked IS NULL
                UNION ALL
               SELECT token, account_id, updated_at FROM account_session WHERE expires_at > now()) AS shown
         JOIN account ON account.id = account_id AND account.tier = ANY($1) AND account.disabled_at IS NULL
        ORDER BY used_at DESC LIMIT $2`,
      [tiers, limit],
    );
  }

  /** Grows with every change that can restrict a key: see migrations. */
  async readVersion(): Promise<number> {
    const [row] = await this.database.query<VersionRow>(
      'SELECT version::float8 AS version FROM auth_version',
    );
    if (!row) throw new Error('the row of auth_version is missing');
    return row.version;
  }

  /** Records the last use of keys, to the minute, so that a busy key is written once a minute. */
  async recordUse(uses: ReadonlyMap<string, Date>): Promise<void> {
    // A locked row is being written by another instance, with a use as recent as ours.
    await this.database.query(
      `UPDATE api_key SET last_used_at = due.at
         FROM (SELECT api_key.id, use.at
                 FROM api_key JOIN unnest($1::uuid[], $2::timestamptz[]) AS use (id, at) USING (id)
                WHERE api_key.last_used_at IS NULL OR api_key.last_used_at < use.at - interval '1 minute'
                  FOR UPDATE OF api_key SKIP LOCKED) AS due
        WHERE api_key.id = due.id`,
      [[...uses.keys()], [...uses.values()]],
    );
  }

  /** The account's keys: working ones first, newest first. */
  async listKeys(accountId: string, limit: number): Promise<ApiKey[]> {
    return this.database.query<ApiKey>(
      `SELECT ${COLUMNS} FROM api_key
        WHERE account_id = $1
        ORDER BY (${WORKS}) DESC, created_at DESC, id
        LIMIT $2`,
      [accountId, limit],
    );
  }

  /**
   * Stores a new key, unless the account has `maxWorking` working ones.
   *
   * @returns the key; `submitted_before` if the same form made one; `too_many`; `not_replaceable` if the key to replace
   * has
   *   ended or was replaced meanwhile; `no_account` if the account was deleted meanwhile
   */
  async insertKey(
    key: NewApiKey,
    minted: MintedKey,
    maxWorking: number,
  ): Promise<ApiKey | 'submitted_before' | 'too_many' | 'not_replaceable' | 'no_account'> {
    return this.database.transaction(async (transaction) => {
      if (!(await lockAccount(transaction, key.accountId))) return 'no_account';
      const [count] = await transaction.query<{ live: number; submitted: boolean }>(
        `SELECT (count(*) FILTER (WHERE ${WORKS} AND id IS DISTINCT FROM $3))::int AS live,
                coalesce(bool_or(submission = $2), false) AS submitted
           FROM api_key WHERE account_id = $1`,
        [key.accountId, key.submission, endingNow(key)],
      );
      if (count?.submitted) return 'submitted_before';
      if (count && count.live >= maxWorking) return 'too_many';
      if (key.replaces) {
        const replaced = await transaction.query(
          `UPDATE api_key SET expires_at = least(expires_at, $3), replaced_at = now()
            WHERE account_id = $1 AND id = $2 AND replaced_at IS NULL AND ${WORKS} RETURNING id`,
          [key.accountId, key.replaces.keyId, key.replaces.until],
        );
        if (replaced.length === 0) return 'not_replaceable';
      }
      const [row] = await transaction.query<ApiKey>(
        `INSERT INTO api_key (account_id, name, kind, scopes, expires_at, submission, hash, start, tail, networks)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::text[]::cidr[])
         RETURNING ${COLUMNS}`,
        [
          key.accountId,
          key.name,
          key.kind,
          key.scopes,
          key.expiresAt,
          key.submission,
          minted.hash,
          minted.start,
          minted.tail,
          key.networks ?? [],
        ],
      );
      if (!row) throw new Error('an inserted key has a row');
      return row;
    });
  }

  async findKey(accountId: string, keyId: string): Promise<ApiKey | null> {
    const [row] = await this.database.query<ApiKey>(
      `SELECT ${COLUMNS} FROM api_key WHERE account_id = $1 AND id = $2`,
      [accountId, keyId],
    );
    return row ?? null;
  }

  /** @returns whether the account has such a key */
  async renameKey(accountId: string, keyId: string, name: string): Promise<boolean> {
    const rows = await this.database.query(
      'UPDATE api_key SET name = $3 WHERE account_id = $1 AND id = $2 RETURNING id',
      [accountId, keyId, name],
    );
    return rows.length > 0;
  }

  /** Revokes a key; a revoked one keeps its time. @returns whether the account has such a key */
  async revokeKey(accountId: string, keyId: string): Promise<boolean> {
    const rows = await this.database.query(
      `UPDATE api_key SET revoked_at = coalesce(revoked_at, now())
        WHERE account_id = $1 AND id = $2 RETURNING id`,
      [accountId, keyId],
    );
    return rows.length > 0;
  }

  /** Revokes every working key of the account. @returns how many */
  async revokeAllKeys(accountId: string, source: Queryable = this.database): Promise<number> {
    const rows = await source.query(
      `UPDATE api_key SET revoked_at = now() WHERE account_id = $1 AND ${WORKS} RETURNING id`,
      [accountId],
    );
    return rows.length;
  }

  /** Deletes keys that ended before `at`. */
  async deleteEndedBefore(at: Date): Promise<void> {
    await this.database.query('DELETE FROM api_key WHERE least(revoked_at, expires_at) < $1', [at]);
  }
}

interface VersionRow {
  readonly version: number;
}

const COLUMNS = `id, name, kind, scopes, start, tail, created_at AS "createdAt", expires_at AS "expiresAt",
                 revoked_at AS "revokedAt", replaced_at AS "replacedAt", last_used_at AS "lastUsedAt",
                 networks::text[] AS networks`;

/** A key that this one replaces at once, which no longer counts. */
function endingNow({ replaces }: NewApiKey): string | null {
  return replaces?.endsNow ? replaces.keyId : null;
}

// A LEFT JOIN without a match gives nulls.
function isHolder(row: { [Field in keyof KeyHolder]?: KeyHolder[Field] | null }): row is KeyHolder {
  return typeof row.keyId === 'string';
}
