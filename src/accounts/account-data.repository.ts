import { Injectable } from '@nestjs/common';
import { Database } from '../db/database.js';

/** A table with rows about one account. Every column is in one of the two lists, as a test compares with the schema. */
interface PersonalTable {
  /** Its name in the data file; null: the file has nothing of it. */
  readonly list: string | null;
  /** The rows of the account with the id $1; `account_id = $1::uuid` where left out. */
  readonly where?: string;
  /** What the file has, in this order; its first column is the order of the rows. */
  readonly exported: string;
  /** What it has not: ids and bookkeeping, and secrets, which would help a thief only. */
  readonly omitted: string;
  /** `with the account`: by its foreign key. `never`: without the account the row names no person. */
  readonly erased: 'with the account' | 'by statement' | 'within an hour' | 'never';
}

/** The register of personal data, for data file and erasure. docs/PRIVACY.md gives reasons and periods. */
export const PERSONAL: Readonly<Record<string, PersonalTable>> = {
  account: {
    list: 'account',
    where: 'id = $1::uuid',
    exported: 'created_at, email, email_verified, tier, updated_at, two_factor_enabled, disabled_at',
    omitted: 'id, name, image',
    erased: 'by statement',
  },
  account_session: {
    list: 'sessions',
    exported: 'created_at, updated_at, expires_at, user_agent, proven_at',
    omitted: 'id, account_id, token, ip_address',
    erased: 'with the account',
  },
  account_credential: {
    list: null,
    exported: '',
    omitted:
      'id, account_id, provider, provider_account_id, password, access_token, refresh_token, id_token, ' +
      'access_token_expires_at, refresh_token_expires_at, scope, created_at, updated_at',
    erased: 'with the account',
  },
  account_passkey: {
    list: 'passkeys',
    exported: 'created_at, name, device_type, backed_up, transports',
    omitted: 'id, account_id, credential_id, public_key, counter, aaguid',
    erased: 'with the account',
  },
  account_second_factor: {
    list: 'second_factor',
    exported: 'verified, failed_verification_count, locked_until',
    omitted: 'id, account_id, secret, backup_codes',
    erased: 'with the account',
  },
  account_link: {
    list: 'links',
    // A link has the id; a code of an app that is not exchanged yet has it in JSON.
    where: `CASE WHEN value LIKE '{"type":"authorization_code"%' THEN value::jsonb ->> 'userId' ELSE value END
            = $1::text`,
    exported: 'created_at, expires_at',
    omitted: 'id, identifier, value, updated_at',
    erased: 'by statement',
  },
  api_key: {
    list: 'api_keys',
    exported:
      'created_at, id, name, kind, scopes, start, tail, expires_at, revoked_at, replaced_at, last_used_at',
    omitted: 'account_id, hash, submission',
    erased: 'with the account',
  },
  oauth_consent: {
    list: 'apps',
    exported:
      'created_at, (SELECT name FROM oauth_client WHERE client_id = oauth_consent.client_id) AS name, client_id, ' +
      'scopes, resources, updated_at',
    omitted: 'id, account_id, requested_user_info_claims',
    erased: 'with the account',
  },
  oauth_access_token: {
    list: 'app_access',
    exported: 'created_at, client_id, scopes, resources, expires_at, revoked',
    omitted: 'id, token, account_id, session_id, authorization_code_id, refresh_id',
    erased: 'with the account',
  },
  oauth_refresh_token: {
    list: 'app_renewals',
    exported: 'created_at, client_id, scopes, resources, auth_time, expires_at, revoked, rotated_at',
    omitted:
      'id, token, account_id, session_id, authorization_code_id, rotation_replay_response, ' +
      'rotation_replay_expires_at',
    erased: 'with the account',
  },
  idempotent_request: {
    list: 'requests',
    exported: 'begun_at, key',
    omitted: 'account_id, request_hash, reference',
    erased: 'with the account',
  },
  watch: {
    list: 'watches',
    exported: 'created_at, domain, question, event_types',
    omitted: 'id, account_id, after_event',
    erased: 'with the account',
  },
  watcher: {
    list: 'watch_settings',
    exported: 'mails, problem, mailed_at, mail_day, mails_of_day',
    omitted: 'account_id, feed_generation, mail_due_at, held_until, failures',
    erased: 'with the account',
  },
  watch_notice: {
    list: 'watch_notices',
    exported: 'occurred_at, type, domain, mail, made_at',
    omitted: 'account_id, event, watches',
    erased: 'with the account',
  },
  webhook: {
    list: 'webhooks',
    exported:
      'created_at, id, url, description, event_types, watched_only, suffixes, q, mode, min_wayback, min_length, ' +
      'max_length, batch_size, enabled, disabled_reason, updated_at',
    omitted:
      'account_id, secret, earlier_secrets, earlier_until, after_event, failing_since, held_until, idempotency_key, ' +
      'request_hash, is_slow, not_before, tell_owner_after, host',
    erased: 'with the account',
  },
  webhook_delivery: {
    list: 'deliveries',
    where: 'webhook_id IN (SELECT id FROM webhook WHERE account_id = $1::uuid)',
    exported:
      'created_at, id, webhook_id, type, status, attempts, attempted_at, response_status, response_text, problem, ' +
      'duration_ms',
    omitted: 'events, due_at, is_batch',
    erased: 'within an hour',
  },
  webhook_proof: {
    list: 'proven_hosts',
    exported: 'place, proven_at, proven_by',
    omitted: 'account_id',
    erased: 'with the account',
  },
  webhook_turn: {
    list: null,
    exported: '',
    omitted: 'account_id, next_at, next_proof_at',
    erased: 'with the account',
  },
  bulk_check: {
    list: 'bulk_checks',
    where: `caller IN ('account:' || $1::text, 'account:' || $1::text || ':test')`,
    exported: 'created_at, ends_at, is_done, is_delivered, key_id',
    omitted: 'id, token_hash, caller, tier, reservation, leased_until, leased_by, account_id',
    erased: 'by statement',
  },
  record_budget: {
    list: null,
    where: `caller IN ('account:' || $1::text, 'account:' || $1::text || ':test')`,
    exported: '',
    omitted: 'caller, period, minute_start, minute_used, period_start, period_used, granted, reservations',
    erased: 'by statement',
  },
  usage_day: {
    list: 'usage',
    exported: `to_char(day, 'YYYY-MM-DD') AS day, key_id, records::float8 AS records`,
    omitted: 'account_id',
    erased: 'by statement',
  },
  payment_subscription: {
    list: 'subscriptions',
    exported: 'subscription, tier, is_ended, happened_at',
    omitted: 'account_id, event_id',
    erased: 'with the account',
  },
  payment_event: {
    list: 'payments',
    exported: 'happened_at, id, subscription, outcome, received_at',
    omitted: 'account_id',
    erased: 'never',
  },
  audit_log: {
    list: 'activity',
    where: `subject = 'account:' || $1::text`,
    exported: 'id, at, action, reason, "from"',
    omitted: 'actor, subject',
    erased: 'never',
  },
};

const whereOf = ({ where = 'account_id = $1::uuid' }: PersonalTable): string => where;

/** Deletes an account with all that does not go with it by itself; its own details in the audit log are emptied. */
export const ERASE_ACCOUNT = [
  ...Object.entries(PERSONAL)
    .filter(([name, { erased }]) => erased === 'by statement' && name !== 'account')
    .map(([name, table]) => `erased_${name} AS (DELETE FROM ${name} WHERE ${whereOf(table)})`),
  `words AS (UPDATE audit_log SET reason = ''
              WHERE subject = 'account:' || $1::text AND actor = 'account:' || $1::text)`,
]
  .join(',\n')
  .replace(/^/, 'WITH ')
  .concat('\nDELETE FROM account WHERE id = $1::uuid');

/** The data of an account for its owner. */
@Injectable()
export class AccountDataRepository {
  constructor(private readonly database: Database) {}

  async readAll(accountId: string): Promise<Record<string, readonly unknown[]>> {
    const exported = Object.entries(PERSONAL).filter(([, { list }]) => list !== null);
    const lists = await Promise.all(
      exported.map(async ([name, table]) => {
        const sql = `SELECT ${table.exported} FROM ${name} WHERE ${whereOf(table)} ORDER BY 1`;
        return [table.list ?? name, await this.database.query(sql, [accountId])] as const;
      }),
    );
    return Object.fromEntries(lists);
  }
}
