import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ERASE_ACCOUNT } from './account-data.repository.js';
import { WORKS } from '../access/api-key.repository.js';
import type { TierName } from '../config/tiers.js';
import { Database, type Queryable } from '../db/database.js';
import type { AccountAction } from '../observe/audit.repository.js';
import { dollars, fillIn, t } from '../texts/texts.js';

const TOKEN_BYTES = 24;

/** A token for a mailed link; only its hash is stored. */
export function makeLinkToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Sign-ups that are not confirmed yet. */
@Injectable()
export class SignUpRepository {
  constructor(private readonly database: Database) {}

  /** Whether the address has a confirmed account. */
  async hasAccount(email: string): Promise<boolean> {
    const rows = await this.database.query('SELECT FROM account WHERE email = $1 AND email_verified', [
      email,
    ]);
    return rows.length > 0;
  }

  /** Replaces an earlier link to the address. */
  async keep(email: string, token: string, seconds: number): Promise<void> {
    await this.database.query(
      `INSERT INTO account_sign_up (email, token_hash, expires_at) VALUES ($1, $2, now() + make_interval(secs => $3))
       ON CONFLICT (email) DO UPDATE SET token_hash = excluded.token_hash, expires_at = excluded.expires_at`,
      [email, hashOfToken(token), seconds],
    );
  }

  /** The address that the link was mailed to; null once it is used or expired. */
  async findEmail(token: string): Promise<string | null> {
    const [row] = await this.database.query<{ email: string }>(
      'SELECT email FROM account_sign_up WHERE token_hash = $1 AND expires_at > now()',
      [hashOfToken(token)],
    );
    return row?.email ?? null;
  }

  /**
   * Uses up the link, and deletes an unconfirmed account with the same address.
   *
   * @returns whether the link was still valid
   */
  async use(token: string): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const [row] = await transaction.query<{ email: string }>(
        'DELETE FROM account_sign_up WHERE token_hash = $1 AND expires_at > now() RETURNING email',
        [hashOfToken(token)],
      );
      if (row)
        await transaction.query('DELETE FROM account WHERE email = $1 AND NOT email_verified', [row.email]);
      return row !== undefined;
    });
  }

  /** @returns the account's id; null if it was deleted meanwhile */
  async confirm(email: string): Promise<string | null> {
    const change = 'UPDATE account SET email_verified = true WHERE email = $1 RETURNING id';
    const [row] = await this.database.query<{ id: string }>(change, [email]);
    return row?.id ?? null;
  }

  async deleteEndedBefore(at: Date): Promise<void> {
    await this.database.query('DELETE FROM account_sign_up WHERE expires_at < $1', [at]);
  }
}

const MAX_FAILURES_AN_HOUR = 10;
const FAILED_SIGN_IN: AccountAction = 'account.sign-in-failed';
/** Actions that prove the mailbox or the password; their networks are known. */
const SEEN_AT: readonly AccountAction[] = ['account.confirm', 'account.sign-in'];

/** Twice the longest window of attempt-limit.ts. */
const LONGEST_ATTEMPT_MS = 2 * 3_600_000;

/** Names of what opens an account besides its password. */
export interface OtherAccess {
  readonly passkeys: readonly string[];
  readonly keys: readonly string[];
  readonly apps: readonly string[];
}

/** An account as operators see it. */
export interface AccountRow {
  readonly id: string;
  readonly email: string;
  readonly confirmed: boolean;
  readonly tier: TierName;
  readonly createdAt: Date;
  readonly workingKeys: number;
  /** When an operator disabled it; null: enabled. */
  readonly disabledAt: Date | null;
}

/** SQL on accounts, beside the statements of the accounts library. */
@Injectable()
export class AccountRepository {
  constructor(private readonly database: Database) {}

  async findAccount(email: string): Promise<AccountRow | null> {
    const [row] = await this.database.query<AccountRow>(`${SELECT} WHERE email = lower($1)`, [email]);
    return row ?? null;
  }

  async findAccountById(id: string): Promise<AccountRow | null> {
    const [row] = await this.database.query<AccountRow>(`${SELECT} WHERE id = $1`, [id]);
    return row ?? null;
  }

  /** The newest first. */
  async listAccounts(limit: number): Promise<AccountRow[]> {
    return this.database.query<AccountRow>(`${SELECT} ORDER BY created_at DESC, id LIMIT $1`, [limit]);
  }

  /** @returns the previous tier; null if there is no such account */
  async setTier(email: string, tier: TierName, source: Queryable = this.database): Promise<TierName | null> {
    const [before] = await source.query<{ tier: TierName }>(
      `WITH before AS (SELECT id, tier FROM account WHERE email = lower($1) FOR UPDATE),
            changed AS (UPDATE account SET tier = $2, updated_at = now() FROM before
                         WHERE account.id = before.id AND before.tier <> $2)
       SELECT tier FROM before`,
      [email, tier],
    );
    return before?.tier ?? null;
  }

  /** Deletes an account and its data. Its audit entries stay, without their details. */
  async deleteAccount(id: string, source: Queryable = this.database): Promise<void> {
    await source.query(ERASE_ACCOUNT, [id]);
  }

  /** Why it cannot be deleted yet; null when nothing is open. */
  async findOpenBusiness(id: string, source: Queryable = this.database): Promise<string | null> {
    const [row] = await source.query<{ cents: number; owed: number; orders: number; pages: number }>(
      `SELECT coalesce(sum(balance_cents) FILTER (WHERE kind = 'customer'), 0)::float8 AS cents,
              coalesce(-sum(balance_cents) FILTER (WHERE kind = 'receivable'), 0)::float8 AS owed,
              (SELECT count(*) FROM registration_order
                WHERE account_id = $1 AND (settled_at IS NULL OR state = 'registered' AND cancel_asked_at IS NOT NULL)
              )::int AS orders,
              (SELECT count(*) FROM top_up WHERE account_id = $1 AND paid_at IS NULL AND ends_at > now())::int AS pages
         FROM ledger_account WHERE account_id = $1`,
      [id],
    );
    if (!row) return null;
    if (row.orders > 0) return fillIn(t.account.openOrders, { count: row.orders });
    if (row.owed > 0) return fillIn(t.account.openDebt, { amount: dollars(row.owed) });
    if (row.pages > 0) return t.account.openTopUp;
    return row.cents > 0 ? fillIn(t.account.openBalance, { amount: dollars(row.cents) }) : null;
  }

  /** Whether an operator disabled it. */
  async isDisabled(id: string): Promise<boolean> {
    const rows = await this.database.query('SELECT FROM account WHERE id = $1 AND disabled_at IS NOT NULL', [
      id,
    ]);
    return rows.length > 0;
  }

  /** Deletes accounts that were never confirmed; they cannot sign in. */
  async deleteUnconfirmedBefore(at: Date): Promise<void> {
    await this.database.query('DELETE FROM account WHERE NOT email_verified AND created_at < $1', [at]);
  }

  /**
   * Adds a failed sign-in to the audit log, if the address has an account. Limited so that strangers cannot fill the
   * log: ten entries an hour, one for each network and reason.
   */
  async recordFailedSignIn(email: string, why: string, network: string | null): Promise<void> {
    await this.database.query(
      `WITH recent AS (SELECT "from", reason FROM audit_log, account
                        WHERE subject = 'account:' || account.id AND action = $2 AND at > now() - interval '1 hour'
                          AND account.email = $1)
       INSERT INTO audit_log (actor, action, subject, reason, "from")
       SELECT 'visitor', $2, 'account:' || id, $3, $4 FROM account
        WHERE email = $1 AND email_verified
          AND NOT EXISTS (SELECT FROM recent WHERE "from" IS NOT DISTINCT FROM $4 AND reason = $3)
          AND (SELECT count(*) FROM recent) < ${MAX_FAILURES_AN_HOUR}`,
      [email, FAILED_SIGN_IN, why, network],
    );
  }

  /**
   * The address of an account that was signed in to before, but never from this network; null otherwise. Asked before
   * the sign-in is recorded.
   */
  async findEmailUnlessSeenFrom(id: string, network: string): Promise<string | null> {
    const [row] = await this.database.query<{ email: string }>(
      `WITH seen AS (SELECT "from" FROM audit_log WHERE subject = 'account:' || $1 AND action = ANY($3))
       SELECT email FROM account
        WHERE id = $1::uuid AND EXISTS (SELECT FROM seen) AND NOT EXISTS (SELECT FROM seen WHERE "from" = $2)`,
      [id, network, SEEN_AT],
    );
    return row?.email ?? null;
  }

  async wasSignedInFrom(email: string, network: string): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT FROM account JOIN audit_log ON subject = 'account:' || account.id
        WHERE email = $1 AND action = ANY($3) AND "from" = $2 LIMIT 1`,
      [email, network, SEEN_AT],
    );
    return rows.length > 0;
  }

  async listOtherAccess(email: string): Promise<OtherAccess> {
    const [row] = await this.database.query<OtherAccess>(
      `SELECT ARRAY(SELECT name FROM account_passkey WHERE account_id = account.id ORDER BY name) AS passkeys,
              ARRAY(SELECT name FROM api_key WHERE account_id = account.id AND ${WORKS} ORDER BY name) AS keys,
              ARRAY(SELECT name FROM oauth_client JOIN oauth_consent USING (client_id)
                     WHERE oauth_consent.account_id = account.id ORDER BY name) AS apps
         FROM account WHERE email = lower($1)`,
      [email],
    );
    return row ?? { passkeys: [], keys: [], apps: [] };
  }

  /** The owner of a password link, or of the cookie between password and code; null once it has expired. */
  async findEmailOfLink(text: string): Promise<string | null> {
    // The library stores links in this form.
    const identifier = createHash('sha256').update(text).digest('base64url');
    const [row] = await this.database.query<{ email: string }>(
      `SELECT account.email FROM account_link JOIN account ON account.id::text = account_link.value
        WHERE account_link.identifier = $1 AND account_link.expires_at > now()`,
      [identifier],
    );
    return row?.email ?? null;
  }

  /** Deletes mailed password links. */
  async deletePasswordLinks(email: string): Promise<void> {
    await this.database.query(
      'DELETE FROM account_link WHERE value = (SELECT id::text FROM account WHERE email = lower($1))',
      [email],
    );
  }

  /** Deletes expired sessions, links and counters. */
  async deleteEndedBefore(at: Date): Promise<void> {
    await this.database.query('DELETE FROM account_session WHERE expires_at < $1', [at]);
    await this.database.query('DELETE FROM account_link WHERE expires_at < $1', [at]);
    // A counter that ends later than the longest window was written by an instance whose clock is ahead.
    await this.database.query('DELETE FROM account_attempt WHERE expire < $1 OR expire > $1 + $2::bigint', [
      at.getTime(),
      LONGEST_ATTEMPT_MS,
    ]);
  }
}

const SELECT = `
  SELECT id, email, email_verified AS confirmed, tier, created_at AS "createdAt", disabled_at AS "disabledAt",
         (SELECT count(*)::int FROM api_key
           WHERE account_id = account.id AND ${WORKS}) AS "workingKeys"
    FROM account`;

/** Passkeys of one account. */
export const MAX_PASSKEYS = 20;

export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  /** Whether it is synchronised to other devices of its owner. */
  readonly isSynced: boolean;
}

/** What verifies the proofs of a passkey. */
export interface PasskeyCredential {
  readonly id: string;
  /** COSE, in base64. */
  readonly publicKey: string;
  /** Of its uses, by its own count; 0 where it has none. */
  readonly counter: number;
}

/** Passkeys, as the accounts library stores them. */
@Injectable()
export class PasskeyRepository {
  constructor(private readonly database: Database) {}

  /** Oldest first. */
  async listPasskeys(accountId: string): Promise<Passkey[]> {
    return this.database.query<Passkey>(
      `SELECT id, name, created_at AS "createdAt", backed_up AS "isSynced" FROM account_passkey
        WHERE account_id = $1 ORDER BY created_at, id LIMIT ${2 * MAX_PASSKEYS}`,
      [accountId],
    );
  }

  async listCredentials(accountId: string): Promise<PasskeyCredential[]> {
    return this.database.query<PasskeyCredential & Record<string, unknown>>(
      `SELECT credential_id AS id, public_key AS "publicKey", counter FROM account_passkey
        WHERE account_id = $1 ORDER BY created_at, id LIMIT ${2 * MAX_PASSKEYS}`,
      [accountId],
    );
  }

  async count(credentialId: string, counter: number): Promise<void> {
    await this.database.query('UPDATE account_passkey SET counter = $2 WHERE credential_id = $1', [
      credentialId,
      counter,
    ]);
  }

  /** @returns its name; null if the account has no such passkey */
  async removePasskey(accountId: string, id: string): Promise<string | null> {
    const [row] = await this.database.query<{ name: string }>(
      'DELETE FROM account_passkey WHERE account_id = $1 AND id = $2 RETURNING name',
      [accountId, id],
    );
    return row?.name ?? null;
  }
}

/** A second factor as stored: both texts are encrypted. */
export interface EncryptedFactor {
  readonly id: string;
  readonly secret: string;
  readonly codes: string;
}

/** Second factors, as the accounts library stores them. */
@Injectable()
export class SecondFactorRepository {
  constructor(private readonly database: Database) {}

  /** Those not encrypted with the current secret. @param current the prefix of texts that are */
  async listOthers(current: string, after: string, limit: number): Promise<EncryptedFactor[]> {
    return this.database.query<EncryptedFactor>(
      `SELECT id, secret, backup_codes AS codes FROM account_second_factor
        WHERE id > $1 AND NOT (starts_with(secret, $2) AND starts_with(backup_codes, $2))
        ORDER BY id LIMIT $3`,
      [after, current, limit],
    );
  }

  /** @returns false if a recovery code was used meanwhile, which encrypts with the current secret itself */
  async replace(
    { id, secret, codes }: EncryptedFactor,
    newSecret: string,
    newCodes: string,
  ): Promise<boolean> {
    const rows = await this.database.query(
      `UPDATE account_second_factor SET secret = $4, backup_codes = $5
        WHERE id = $1 AND secret = $2 AND backup_codes = $3 RETURNING id`,
      [id, secret, codes, newSecret, newCodes],
    );
    return rows.length > 0;
  }
}
