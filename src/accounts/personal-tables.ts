/** A table with rows about one account. Every column is in one of the two lists, as a test compares with the schema. */
export interface PersonalTable {
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
  /** What becomes of columns of rows that stay. */
  readonly emptied?: string;
  readonly page: PrivacyWords;
}

/** A row of docs/PRIVACY.md. */
export interface PrivacyWords {
  readonly what: string;
  readonly why: string;
  /** How long it is kept. */
  readonly period: string;
  /** Which code deletes it. */
  readonly code: string;
}

/** The register of personal data: data file, erasure and the table of docs/PRIVACY.md come from it. */
export const PERSONAL: Readonly<Record<string, PersonalTable>> = {
  account: {
    list: 'account',
    where: 'id = $1::uuid',
    exported: 'created_at, email, email_verified, tier, updated_at, two_factor_enabled, disabled_at',
    omitted: 'id, name, image',
    erased: 'by statement',
    page: {
      what: 'e-mail address, tier, when made and disabled',
      why: 'the account',
      period: 'until it is deleted; 7 days if never confirmed',
      code: 'src/accounts/account-purge.ts',
    },
  },
  account_session: {
    list: 'sessions',
    exported: 'created_at, updated_at, expires_at, user_agent, proven_at',
    omitted: 'id, account_id, token, ip_address',
    erased: 'with the account',
    page: {
      what: 'sessions',
      why: 'staying signed in',
      period: '7 days after the last use',
      code: 'src/accounts/account-purge.ts',
    },
  },
  account_credential: {
    list: null,
    exported: '',
    omitted:
      'id, account_id, provider, provider_account_id, password, access_token, refresh_token, id_token, ' +
      'access_token_expires_at, refresh_token_expires_at, scope, created_at, updated_at',
    erased: 'with the account',
    page: {
      what: 'password as a hash (scrypt)',
      why: 'signing in',
      period: 'with the account',
      code: 'src/accounts/account.repository.ts',
    },
  },
  account_passkey: {
    list: 'passkeys',
    exported: 'created_at, name, device_type, backed_up, transports',
    omitted: 'id, account_id, credential_id, public_key, counter, aaguid',
    erased: 'with the account',
    page: {
      what: 'passkeys: public keys, names, devices',
      why: 'signing in',
      period: 'until removed',
      code: 'src/accounts/account.repository.ts',
    },
  },
  account_second_factor: {
    list: 'second_factor',
    exported: 'verified, failed_verification_count, locked_until',
    omitted: 'id, account_id, secret, backup_codes',
    erased: 'with the account',
    page: {
      what: 'second factor: secret and recovery codes, encrypted',
      why: 'signing in',
      period: 'until switched off',
      code: 'src/accounts/account.repository.ts',
    },
  },
  account_link: {
    list: 'links',
    // A link has the id; a code of an app that is not exchanged yet has it in JSON.
    where: `CASE WHEN value LIKE '{"type":"authorization_code"%' THEN value::jsonb ->> 'userId' ELSE value END
            = $1::text`,
    exported: 'created_at, expires_at',
    omitted: 'id, identifier, value, updated_at',
    erased: 'by statement',
    page: {
      what: 'tokens of mailed links, challenges of passkeys',
      why: 'confirming, new passwords, signing in',
      period: 'until used or expired',
      code: 'src/accounts/account-purge.ts',
    },
  },
  api_key: {
    list: 'api_keys',
    exported:
      'created_at, id, name, kind, scopes, start, tail, expires_at, revoked_at, replaced_at, last_used_at, networks',
    omitted: 'account_id, hash, submission',
    erased: 'with the account',
    page: {
      what: 'API keys as hashes, their names and last use',
      why: 'calling the API',
      period: '90 days after their end',
      code: 'src/accounts/account-purge.ts',
    },
  },
  oauth_consent: {
    list: 'apps',
    exported:
      'created_at, (SELECT name FROM oauth_client WHERE client_id = oauth_consent.client_id) AS name, client_id, ' +
      'scopes, resources, updated_at',
    omitted: 'id, account_id, requested_user_info_claims',
    erased: 'with the account',
    page: {
      what: 'what an app may do',
      why: 'asking once',
      period: 'until disconnected',
      code: 'src/accounts/connected-apps.repository.ts',
    },
  },
  oauth_access_token: {
    list: 'app_access',
    exported: 'created_at, client_id, scopes, resources, expires_at, revoked',
    omitted: 'id, token, account_id, session_id, authorization_code_id, refresh_id',
    erased: 'with the account',
    page: {
      what: 'tokens of connected apps, as hashes',
      why: 'calling the API for the account',
      period: 'until they expire',
      code: 'src/accounts/account-purge.ts',
    },
  },
  oauth_refresh_token: {
    list: 'app_renewals',
    exported: 'created_at, client_id, scopes, resources, auth_time, expires_at, revoked, rotated_at',
    omitted:
      'id, token, account_id, session_id, authorization_code_id, rotation_replay_response, ' +
      'rotation_replay_expires_at',
    erased: 'with the account',
    page: {
      what: 'the same, to renew them',
      why: "the app's next token",
      period: 'until they expire',
      code: 'src/accounts/account-purge.ts',
    },
  },
  idempotent_request: {
    list: 'requests',
    exported: 'begun_at, key',
    omitted: 'owner, account_id, request_hash, reference',
    erased: 'with the account',
    page: {
      what: 'requests with an `Idempotency-Key`, as hashes',
      why: 'doing each once',
      period: 'a day',
      code: 'src/accounts/account-purge.ts',
    },
  },
  watch: {
    list: 'watches',
    exported: 'created_at, domain, question, reading, event_types',
    omitted: 'id, account_id, after_event',
    erased: 'with the account',
    page: {
      what: 'names and searches that are watched',
      why: 'notices',
      period: 'until deleted',
      code: 'src/notify/watches/watch.repository.ts',
    },
  },
  shortlist_name: {
    list: 'shortlist',
    exported: 'added_at, domain',
    omitted: 'account_id',
    erased: 'with the account',
    page: {
      what: 'shortlisted names',
      why: 'the shortlist',
      period: 'until removed',
      code: 'src/accounts/shortlist.repository.ts',
    },
  },
  watcher: {
    list: 'watch_settings',
    exported: 'mails, problem, mailed_at, mail_day, mails_of_day',
    omitted: 'account_id, feed_generation, mail_due_at, held_until, failures',
    erased: 'with the account',
    page: {
      what: 'mail preferences',
      why: 'the mails',
      period: 'with the account',
      code: 'src/accounts/account.repository.ts',
    },
  },
  watch_notice: {
    list: 'watch_notices',
    exported: 'occurred_at, type, domain, mail, made_at',
    omitted: 'account_id, event, watches',
    erased: 'with the account',
    page: {
      what: 'notices sent',
      why: 'the list of notices',
      period: '30 days',
      code: 'src/notify/watches/notice.repository.ts',
    },
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
    page: {
      what: 'webhooks: addresses and filters',
      why: 'delivering',
      period: 'until deleted',
      code: 'src/notify/webhooks/webhooks.service.ts',
    },
  },
  webhook_delivery: {
    list: 'deliveries',
    where: 'webhook_id IN (SELECT id FROM webhook WHERE account_id = $1::uuid)',
    exported:
      'created_at, id, webhook_id, type, status, attempts, attempted_at, response_status, response_text, problem, ' +
      'duration_ms',
    omitted: 'events, due_at, is_batch, data',
    erased: 'within an hour',
    page: {
      what: 'deliveries, with what the receiver answered',
      why: 'the log that owners read',
      period: '30 days',
      code: 'src/notify/webhooks/webhooks.module.ts',
    },
  },
  webhook_proof: {
    list: 'proven_hosts',
    exported: 'place, proven_at, proven_by',
    omitted: 'account_id',
    erased: 'with the account',
    page: {
      what: 'proven hosts and addresses of webhooks',
      why: 'the pace of deliveries',
      period: 'until switched off',
      code: 'src/notify/webhooks/webhook-lease.repository.ts',
    },
  },
  webhook_turn: {
    list: null,
    exported: '',
    omitted: 'account_id, next_at, next_proof_at',
    erased: 'with the account',
    page: {
      what: 'pace of unproven deliveries and of proofs',
      why: 'the pace of deliveries',
      period: 'an hour',
      code: 'src/notify/webhooks/webhooks.module.ts',
    },
  },
  bulk_check: {
    list: 'bulk_checks',
    where: `caller IN ('account:' || $1::text, 'account:' || $1::text || ':test')`,
    exported: 'created_at, ends_at, is_done, is_delivered, key_id',
    omitted: 'id, token_hash, caller, tier, reservation, leased_until, leased_by, account_id',
    erased: 'by statement',
    page: {
      what: 'names of a bulk check, by account or network',
      why: 'giving back the rest of the answers',
      period: 'an hour',
      code: 'src/api/check/bulk-check.worker.ts',
    },
  },
  record_budget: {
    list: null,
    where: `caller IN ('account:' || $1::text, 'account:' || $1::text || ':test')`,
    exported: '',
    omitted: 'caller, period, minute_start, minute_used, period_start, period_used, granted, reservations',
    erased: 'by statement',
    page: {
      what: 'records spent in a window, by account or network',
      why: "the tiers' budgets",
      period: 'until the window is over',
      code: 'src/access/rate-limit.module.ts',
    },
  },
  usage_day: {
    list: 'usage',
    exported: `to_char(day, 'YYYY-MM-DD') AS day, key_id, records::float8 AS records`,
    omitted: 'account_id',
    erased: 'by statement',
    page: {
      what: 'records charged by account, key and day',
      why: 'verifiable bills',
      period: '25 months',
      code: 'src/access/budget.repository.ts',
    },
  },
  payment_subscription: {
    list: 'subscriptions',
    exported: 'subscription, tier, is_ended, happened_at',
    omitted: 'account_id, event_id',
    erased: 'with the account',
    page: {
      what: 'subscriptions: their ids, tier and last event',
      why: 'the tier of the account',
      period: 'with the account',
      code: 'src/accounts/payments.repository.ts',
    },
  },
  payment_event: {
    list: 'payments',
    exported: 'happened_at, id, subscription, outcome, received_at',
    omitted: 'account_id',
    erased: 'never',
    page: {
      what: 'payment events: ids of event, subscription and account',
      why: 'each is processed once',
      period: 'kept; no person named',
      code: 'none',
    },
  },
  registrant_profile: {
    list: null,
    exported: '',
    omitted: 'id, account_id, sealed, created_at, changed_at',
    erased: 'with the account',
    page: {
      what: 'registrants, encrypted',
      why: 'orders',
      period: 'until removed',
      code: 'src/orders/registrants/registrant.repository.ts',
    },
  },
  registration_order: {
    list: 'orders',
    exported:
      'placed_at, id, number, domain, years, registrar, total_cents, gst_cents, agreements, accepted, state, approved_at, ' +
      'approved_from, settled_at, expires_at, reason, renews, auto_renew, cancel_until, cancel_asked_at, name_servers, ' +
      'wished_servers',
    omitted:
      'account_id, idempotency_key, request_hash, registrant_id, registrar_cents, is_drop, placed_by, approved_by, ' +
      'lapses_at, changed_at, sealed, mandate_id, approved_terms, reminded_days',
    erased: 'never',
    emptied: `sealed = NULL, approved_from = NULL, auto_renew = NULL, wished_servers = NULL,
              accepted = (SELECT jsonb_agg(one.value - 'from') FROM jsonb_array_elements(accepted) AS one (value))`,
    page: {
      what: 'orders, by account id; registrants encrypted',
      why: 'accounting',
      period: 'kept; registrants with the account',
      code: 'src/accounts/account.repository.ts',
    },
  },
  order_notice: {
    list: 'order_notices',
    exported: 'at, order_id, type, state, reason',
    omitted: 'id, account_id, is_handed_over, is_seen, due_at, failures',
    erased: 'with the account',
    page: {
      what: 'notices of orders',
      why: 'mails and webhooks',
      period: 'until told',
      code: 'src/orders/order/order-notice.repository.ts',
    },
  },
  registration_attempt: {
    list: null,
    where: 'order_id IN (SELECT id FROM registration_order WHERE account_id = $1::uuid)',
    exported: '',
    omitted:
      'id, order_id, registrar, sealed, cltrid, sent_at, sends, none_answers, none_at, asked_at, asks, decided, ended_at, ended_as, executed_late_at, cancel_sent_at',
    erased: 'never',
    emptied: `sealed = ''`,
    page: {
      what: 'what a registrar was sent, encrypted',
      why: 'evidence',
      period: 'with the account',
      code: 'src/accounts/account.repository.ts',
    },
  },
  mandate: {
    list: 'mandates',
    exported:
      'made_at, id, registrant_id, order_cents, month_cents, suffixes, key_ids, app_ids, takes_unknown, expires_at, ' +
      'ended_at, accepted, accepted_at, accepted_from',
    omitted: 'account_id, accepted_by, holder',
    erased: 'never',
    emptied: 'accepted_from = NULL, ended_at = coalesce(ended_at, now())',
    page: {
      what: 'mandates, by account id',
      why: 'evidence',
      period: 'kept, without network after the account',
      code: 'src/accounts/account.repository.ts',
    },
  },
  approval_link: {
    list: 'approval_links',
    where: 'order_id IN (SELECT id FROM registration_order WHERE account_id = $1::uuid)',
    exported: 'sent_at, expires_at, used_at, order_id',
    omitted: 'token_hash, terms',
    erased: 'never',
    page: { what: 'approval links', why: 'evidence', period: 'kept', code: 'none' },
  },
  approval_challenge: {
    list: 'approval_challenges',
    where: 'order_id IN (SELECT id FROM registration_order WHERE account_id = $1::uuid)',
    exported: 'asked_at, expires_at, used_at, order_id',
    omitted: 'challenge, terms, proof',
    erased: 'never',
    page: { what: 'approvals by passkey', why: 'evidence', period: 'kept', code: 'none' },
  },
  top_up: {
    list: 'top_ups',
    exported: 'made_at, id, cents, ends_at, paid_at, available_at',
    omitted: 'account_id, idempotency_key, checkout_url, hold_id',
    erased: 'never',
    page: { what: 'top-ups by card, by account id', why: 'accounting', period: 'kept', code: 'none' },
  },
  card_dispute: {
    list: 'card_disputes',
    exported: 'opened_at, id, cents, status, cleared_at',
    omitted: 'account_id, payment',
    erased: 'never',
    page: { what: 'disputed payments, by account id', why: 'accounting', period: 'kept', code: 'none' },
  },
  operator_credit: {
    list: 'credits',
    exported: 'asked_at, id, cents, booked_at',
    omitted: 'account_id, reason, asked_by, booked_by',
    erased: 'never',
    page: { what: 'credits, by account id', why: 'accounting', period: 'kept', code: 'none' },
  },
  card_refund: {
    list: 'card_refunds',
    where: 'top_up_id IN (SELECT id FROM top_up WHERE account_id = $1::uuid)',
    exported: 'asked_at, id, cents, state',
    omitted: 'top_up_id, idempotency_key, asked_by',
    erased: 'never',
    page: { what: 'refunds to cards', why: 'accounting', period: 'kept', code: 'none' },
  },
  receipt: {
    list: 'receipts',
    exported: 'number, transaction_id, seller',
    omitted: 'account_id',
    erased: 'never',
    page: { what: 'receipts, by account id', why: 'accounting', period: 'kept', code: 'none' },
  },
  ledger_account: {
    list: 'balances',
    exported: 'kind, balance_cents, held_cents',
    omitted: 'id, account_id',
    erased: 'never',
    page: { what: 'balance by account id', why: 'prepaid money', period: 'kept', code: 'none' },
  },
  ledger_entry: {
    list: 'statement',
    where: 'ledger_account_id IN (SELECT id FROM ledger_account WHERE account_id = $1::uuid)',
    exported: 'transaction_id, cents, balance_after',
    omitted: 'ledger_account_id',
    erased: 'never',
    page: { what: 'movements of money', why: 'accounting', period: 'kept', code: 'none' },
  },
  audit_log: {
    list: 'activity',
    where: `subject = 'account:' || $1::text`,
    exported: 'id, at, action, reason, "from"',
    omitted: 'actor, subject',
    erased: 'never',
    page: {
      what: 'changes: who, what, why, network (/24, /48)',
      why: 'accountability',
      period: '365 days, also without the account, by id',
      code: 'src/app/maintenance.ts',
    },
  },
};
