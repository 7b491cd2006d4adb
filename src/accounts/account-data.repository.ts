import { Injectable } from '@nestjs/common';
import { Database } from '../db/database.js';

/**
 * The data of an account, one list a table. Secrets are left out (hashes of passwords, keys and tokens, the secrets of
 * webhooks): in a file they would help a thief only.
 */
const TABLES: Readonly<Record<string, string>> = {
  account: 'SELECT email, email_verified, tier, created_at, updated_at FROM account WHERE id = $1',
  sessions: `SELECT created_at, updated_at, expires_at, user_agent FROM account_session
              WHERE account_id = $1 ORDER BY created_at`,
  passkeys: `SELECT name, created_at, device_type, backed_up, transports FROM account_passkey
              WHERE account_id = $1 ORDER BY created_at`,
  api_keys: `SELECT id, name, kind, scopes, start, tail, created_at, expires_at, revoked_at, replaced_at, last_used_at
               FROM api_key WHERE account_id = $1 ORDER BY created_at`,
  watches:
    'SELECT domain, question, event_types, created_at FROM watch WHERE account_id = $1 ORDER BY created_at',
  watch_settings: 'SELECT mails, problem, mailed_at FROM watcher WHERE account_id = $1',
  watch_notices:
    'SELECT type, domain, occurred_at, mail FROM watch_notice WHERE account_id = $1 ORDER BY event',
  webhooks: `SELECT id, url, description, event_types, watched_only, suffixes, q, mode, min_wayback, min_length,
                    max_length,
                    batch_size, enabled, disabled_reason, created_at, updated_at
               FROM webhook WHERE account_id = $1 ORDER BY created_at`,
  proven_hosts: `SELECT place, proven_at, proven_by FROM webhook_proof WHERE account_id = $1 ORDER BY place`,
  activity: `SELECT at, action, reason, "from" FROM audit_log WHERE subject = 'account:' || $1 ORDER BY id`,
  subscriptions: `SELECT subscription, tier, is_ended, happened_at FROM payment_subscription
                   WHERE account_id = $1 ORDER BY subscription`,
  usage: `SELECT to_char(day, 'YYYY-MM-DD') AS day, key_id, records::float8 AS records FROM usage_day
           WHERE account_id = $1 ORDER BY day, key_id`,
};

/** The data of an account for its owner. */
@Injectable()
export class AccountDataRepository {
  constructor(private readonly database: Database) {}

  async readAll(accountId: string): Promise<Record<string, readonly unknown[]>> {
    const lists = await Promise.all(
      Object.entries(TABLES).map(
        async ([name, sql]) => [name, await this.database.query(sql, [accountId])] as const,
      ),
    );
    return Object.fromEntries(lists);
  }
}
