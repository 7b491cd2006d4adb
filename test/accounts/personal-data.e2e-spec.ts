import { AccountDataRepository } from '../../src/accounts/account-data.repository.js';
import { OF_NO_ACCOUNT } from '../../src/accounts/privacy-rows.js';
import { PERSONAL } from '../../src/accounts/personal-tables.js';
import { AccountRepository } from '../../src/accounts/account.repository.js';
import { addKey } from '../support/accounts.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.close());

/** Names of columns in a list of them; of an expression the one that it is about. */
function columnsIn(list: string): string[] {
  const flat = list
    .replace(/\(SELECT[^)]*\) AS name, /, '')
    .replace(/to_char\(day, 'YYYY-MM-DD'\) AS day/, 'day')
    .replace(/records::float8 AS records/, 'records');
  return flat
    .split(',')
    .map((name) => name.trim().replaceAll('"', ''))
    .filter((name) => name !== '');
}

async function columnsOf(table: string): Promise<string[]> {
  const rows = await test.database.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1`,
    [table],
  );
  return rows.map(({ name }) => name).sort();
}

const ON_THE_PAGE = 'people and networks without an account, as the privacy page has them';

/** Every column of the tables without an account, by what those tables are about: a new one needs a decision. */
const COLUMNS: Record<string, Record<string, string>> = {
  [ON_THE_PAGE]: {
    account_sign_up: 'email, token_hash, expires_at',
    account_attempt: 'key, points, expire',
    work:
      'kind, key, lane, due_at, ready, turn, holder, fence, deadline_at, wake_at, cursor, failures, ' +
      'last_run_at, last_success_at, last_error, last_error_at, is_slow, overran_at',
    operator_session: 'token_hash, operator, key_hash, ends_at',
    operator_passkey: 'id, key_hash, public_key, counter, added_at, used_at',
    network_rule: 'network, verdict, reason, set_by, set_at, ends_at',
    taken_hour: 'hour, taker, records, pages, refusals',
    operator_import:
      'id, file, bytes, dry_run, actor, reason, started_at, touched_at, state, step, rows, read_bytes, ' +
      'report, problem, rejects',
  },
  'names, and what lists, registries and archives say of them': {
    dataset:
      'singleton, available_records, last_event, refreshed, last_event_at, offers_left, offers_joined, ' +
      'moves_counted_from, first_event',
    domain:
      'domain, name, tld, length, hyphens, digits, wayback, archive_status, archive_first_capture, ' +
      'archive_last_capture, archive_captures, first_seen, dropped_at, available, hidden, checked_at, ' +
      'state, confirmed_by, registry_state, free_seen_at, list_kind, list_source, listed_at, purge_at, ' +
      'news_until, announced, ask_at, purge_approximate, words',
    domain_archive:
      'domain, source, computed_at, version, wayback, captures, days, first_capture, last_capture, ' +
      'active_years, longest_gap_days, days_by_year, failures, failure, ask_at',
    domain_cube: 'first_month, tld, length, hyphens, numbers, score, names',
    domain_event: 'number, type, domain, occurred_at',
    kept_answer: 'asked_at, took_ms, text_id, age_s, domain',
    kept_text: 'id, digest, source, verdict, parser, status, has_rdap_type, shape, text, last_seen_on',
    packed_answer: 'first_at, last_at, domains, asked_at, took_ms, text_id, age_s',
    registry_answer: 'domain, state, source, checked_at, expires_at, registered_at, message',
    name_hold: 'domain, what, source, as_of',
    recheck: 'domain, ask_at, checked_at, offered',
    question_failure: 'domain, failures, failed_at',
    truth_sample: 'id, domain, stratum, wayback, dropped_at, offered_since, asked_at, outcome',
    list_fetch:
      'id, address, kind, started_at, finished_at, http_status, etag, last_modified, bytes, header, ' +
      'rows, sha256, rows_sha256, rejected, ahead, outcome, detail, newest_day, is_accepted',
    import_run: 'fingerprint, source, counts, done, touched_at',
    export:
      'id, kind, made_at, schema_version, base, first_event, last_event, rows, ndjson_sha256, files, ' +
      'finished_at',
  },
  'public pages of former sites': {
    former_site: 'domain, state, wanted_at, next_at, failures, pages, title_words',
  },
  'counts, rates and figures': {
    early_taken_rate: 'age_from_minutes, score_from, suffix, exposure_days, taken, observed_at',
    taken_rate: 'age_from, score_from, exposure_days, taken, observed_at',
    freshness_threshold: 'singleton, steady, current, adjusted_at',
    recheck_hour: 'hour, asked, taken, expected_taken',
    service_minute: 'minute, subject, requests, failures, durations',
  },
  'the state of the service': {
    archive_service:
      'singleton, next_turn_at, rest_until, rest_reason, failures_in_row, last_asked_at, ' +
      'last_answered_at',
    auth_version: 'singleton, version',
    former_site_fill: 'singleton, is_complete, after',
    job_lease: 'name, holder, fence, until',
    job_state:
      'name, next_due, last_run_at, last_success_at, failures, last_error, last_error_at, cursor, ' +
      'paused_at, paused_by, pause_reason, wanted_at',
    lifecycle_guard: 'singleton, hour, flips, writes_stopped_at, reason',
    ordering_place: 'is_only, place, written_by, restored_at',
    ordering_stop: 'reason, registrars, words, since',
    registrar_state:
      'registrar, balance_cents, balance_at, surplus_cents, prices_at, polled_at, messages_read, ' +
      'reconciled_at, reconciled_place, reconciled_names',
    registry_health: 'source, address, canary, canary_at, open_until, last_answered_at',
    registry_pace: 'singleton, full_at, version, line',
    word_fill: 'singleton, is_complete, lexicon, after',
    registry_pause: 'source, until',
    schema_epoch: 'singleton, epoch, oldest',
    watch_outbox: 'singleton, last_event',
    webhook_outbox: 'singleton, last_event',
    work_holder: 'id, process, kinds, until',
    work_kind: 'kind, paused_at, paused_by, pause_reason, wanted_at',
    resumed_writes: 'id, stopped_at, reason, flips, resumed_at, resumed_by',
    list_secret: 'is_only, secret',
    migration: 'id, timestamp, name',
  },
  'what operators publish': {
    agreement_text: 'hash, id, version, text',
    incident: 'id, title, words, began_at, ended_at, updated_at',
    registry_wording: 'compared, text, source, added_by, added_at, meaning',
  },
  'apps and the resources that they may ask for': {
    oauth_client:
      'id, client_id, name, redirect_uris, token_endpoint_auth_method, application_type, grant_types, ' +
      'response_types, scopes, client_discovery_id, client_credentials_scopes, disabled, ' +
      'dpop_bound_access_tokens, created_at, updated_at',
    oauth_resource:
      'id, identifier, name, access_token_ttl, refresh_token_ttl, signing_algorithm, signing_key_id, ' +
      'allowed_scopes, custom_claims, dpop_bound_access_tokens_required, disabled, policy_version, ' +
      'metadata, created_at, updated_at',
  },
  'single-use numbers for passkeys of operators': {
    operator_challenge: 'challenge, ends_at',
  },
  'parts of rows of other tables, which name the account': {
    mandate_month: 'mandate_id, month, cents',
    bulk_check_name: 'bulk_check, place, domain, answer, error_code, error_message, failures',
    card_payment: 'id, booked_at, top_up_id, waiting, seen_at',
    ledger_hold: 'id, ledger_account_id, cents, state, held_at, ended_at',
    ledger_transaction: 'id, kind, source, words, at',
  },
  'what a registrar was sent, without registrants and passwords': {
    registrar_exchange: 'id, registrar, cltrid, command, sent_at, took_ms, result, request, reply',
    registrar_finding: 'registrar, kind, subject, words, found_at, seen_at',
  },
};

describe('the register of what is personal', () => {
  it('has every table of the schema in one of its three places', async () => {
    const tables = await test.database.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
    );
    const kept = tables.map(({ name }) => name);
    expect(kept.toSorted()).toEqual(
      [PERSONAL, ...Object.values(COLUMNS)].flatMap((tables) => Object.keys(tables)).toSorted(),
    );
    expect(Object.keys(COLUMNS[ON_THE_PAGE] ?? {})).toEqual(Object.keys(OF_NO_ACCOUNT));
  });

  it.each(Object.keys(PERSONAL))('knows every column of %s, each once', async (table) => {
    const { exported = '', omitted = '' } = PERSONAL[table] ?? {};
    expect([...columnsIn(exported), ...columnsIn(omitted)].sort()).toEqual(await columnsOf(table));
  });

  it.each(Object.values(COLUMNS).flatMap((tables) => Object.entries(tables)))(
    'knows every column of %s, which has no account',
    async (table, columns) => {
      expect(columnsIn(columns).sort()).toEqual(await columnsOf(table));
    },
  );

  it('knows every table that knows an account, and how its rows go', async () => {
    const knowing = await test.database.query<{ name: string }>(
      `SELECT DISTINCT table_name AS name FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name = 'account_id'`,
    );
    expect(knowing.map(({ name }) => name).filter((name) => !Object.hasOwn(PERSONAL, name))).toEqual([]);
    const going = await test.database.query<{ name: string }>(
      `SELECT DISTINCT conrelid::regclass::text AS name FROM pg_constraint
        WHERE contype = 'f' AND confdeltype = 'c' AND confrelid IN ('account'::regclass, 'webhook'::regclass)`,
    );
    const cascading = going.map(({ name }) => name);
    const promised = Object.entries(PERSONAL)
      .filter(([, { erased }]) => erased === 'with the account')
      .map(([name]) => name);
    expect(promised.filter((name) => !cascading.includes(name))).toEqual([]);
  });

  it('erases what is left of an account, pending links and codes of apps too', async () => {
    const { accountId } = await addKey(test.database);
    const other = await addKey(test.database);
    for (const id of [accountId, other.accountId]) {
      await test.database.query(
        `INSERT INTO account_link (identifier, value, expires_at) VALUES ($1, $2, now()), ($3, $4, now())`,
        [`link ${id}`, id, `code ${id}`, `{"type":"authorization_code","userId":"${id}"}`],
      );
      await test.database.query(`INSERT INTO usage_day VALUES ($1, NULL, '2026-11-20', 3)`, [id]);
    }
    const data = new AccountDataRepository(test.database);
    expect(await data.readAll(accountId)).toMatchObject({
      links: [{}, {}],
      usage: [{ day: '2026-11-20', records: 3 }],
      api_keys: [{ name: 'Test' }],
    });
    await new AccountRepository(test.database).deleteAccount(accountId);
    const lists = Object.values(await data.readAll(accountId));
    expect(lists.flat()).toEqual([]);
    expect(await data.readAll(other.accountId)).toMatchObject({
      account: [{}],
      links: [{}, {}],
      usage: [{}],
    });
  });
});
