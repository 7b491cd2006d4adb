import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { WORKS } from '../../auth/keys/api-key.repository.js';
import type { AccountDeed } from '../../audit/account-deeds.js';
import { Database, type Queryable } from '../../database/database.js';
import type { TierName } from '../../tiers/tiers.js';

const MAX_FAILURES_AN_HOUR = 10;
const FAILED_SIGN_IN: AccountDeed = 'account.sign-in-failed';

/** An account as the operator sees it. */
export interface AccountRow {
  readonly id: string;
  readonly email: string;
  readonly confirmed: boolean;
  readonly tier: TierName;
  readonly createdAt: Date;
  readonly workingKeys: number;
  /** Since when an operator has it disabled; null: it is not. */
  readonly disabledAt: Date | null;
}

/** SQL on accounts beside what the accounts library does itself. */
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

  /** @returns the tier until now; null when there is no such account */
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

  /** Removes an account and all that belongs to it. That something was done stays on record, and what it was done with does not. */
  async deleteAccount(id: string, source: Queryable = this.database): Promise<void> {
    await source.query(
      `WITH used AS (DELETE FROM usage_day WHERE account_id = $1::uuid),
            counted AS (DELETE FROM record_budget WHERE caller IN ('account:' || $1, 'account:' || $1 || ':test')),
            words AS (UPDATE audit_log SET reason = ''
                       WHERE subject = 'account:' || $1 AND actor = 'account:' || $1)
       DELETE FROM account WHERE id = $1::uuid`,
      [id],
    );
  }

  /** Whether an operator has it disabled. */
  async isDisabled(id: string): Promise<boolean> {
    const rows = await this.database.query('SELECT FROM account WHERE id = $1 AND disabled_at IS NOT NULL', [
      id,
    ]);
    return rows.length > 0;
  }

  /** Removes accounts whose address was not confirmed by then: nobody can sign in to them. */
  async deleteUnconfirmedBefore(at: Date): Promise<void> {
    await this.database.query('DELETE FROM account WHERE NOT email_verified AND created_at < $1', [at]);
  }

  /**
   * Puts into the audit log that somebody could not sign in, where the address has an account. Strangers cannot fill it: of an hour there
   * are ten entries, of a network and a reason one.
   */
  async noteFailedSignIn(email: string, why: string, network: string | null): Promise<void> {
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

  /** Whose link it is, while it works: one that was mailed to set a new password, or the cookie between password and code. */
  async findEmailOfLink(text: string): Promise<string | null> {
    // As the library keeps it.
    const identifier = createHash('sha256').update(text).digest('base64url');
    const [row] = await this.database.query<{ email: string }>(
      `SELECT account.email FROM account_link JOIN account ON account.id::text = account_link.value
        WHERE account_link.identifier = $1 AND account_link.expires_at > now()`,
      [identifier],
    );
    return row?.email ?? null;
  }

  /** Removes the links that were mailed to set a new password. */
  async deletePasswordLinks(email: string): Promise<void> {
    await this.database.query(
      'DELETE FROM account_link WHERE value = (SELECT id::text FROM account WHERE email = lower($1))',
      [email],
    );
  }

  /** Removes sessions, links and counters that are over. */
  async deleteEndedBefore(at: Date): Promise<void> {
    await this.database.query('DELETE FROM account_session WHERE expires_at < $1', [at]);
    await this.database.query('DELETE FROM account_link WHERE expires_at < $1', [at]);
    await this.database.query('DELETE FROM account_attempt WHERE expire < $1', [at.getTime()]);
  }
}

const SELECT = `
  SELECT id, email, email_verified AS confirmed, tier, created_at AS "createdAt", disabled_at AS "disabledAt",
         (SELECT count(*)::int FROM api_key
           WHERE account_id = account.id AND ${WORKS}) AS "workingKeys"
    FROM account`;
