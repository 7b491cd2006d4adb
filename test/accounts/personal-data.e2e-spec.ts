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

/** Tables that name no person, by the reason. */
const NAMING_NOBODY: Record<string, string[]> = {
  'names, and what lists, registries and archives say of them': [
    ...['dataset', 'domain', 'domain_archive', 'domain_cube', 'domain_event', 'kept_answer', 'kept_text'],
    ...['packed_answer', 'registry_answer', 'name_hold', 'recheck', 'question_failure', 'truth_sample'],
    ...['list_fetch', 'import_run', 'export'],
  ],
  'public pages of former sites': ['former_site'],
  'counts, rates and figures': [
    ...['early_taken_rate', 'taken_rate', 'freshness_threshold', 'recheck_hour', 'service_minute'],
  ],
  'the state of the service': [
    ...['archive_service', 'auth_version', 'former_site_fill', 'job_lease', 'job_state', 'lifecycle_guard'],
    ...[
      'ordering_place',
      'ordering_stop',
      'registrar_state',
      'registry_health',
      'registry_pace',
      'word_fill',
    ],
    ...['registry_pause', 'schema_epoch', 'watch_outbox', 'webhook_outbox', 'work_holder', 'work_kind'],
    ...['resumed_writes', 'list_secret', 'migration'],
  ],
  'what operators publish': ['agreement_text', 'incident', 'registry_wording'],
  'apps and the resources that they may ask for': ['oauth_client', 'oauth_resource'],
  'single-use numbers for passkeys of operators': ['operator_challenge'],
  'parts of rows of other tables, which name the account': [
    ...['bulk_check_name', 'card_payment', 'ledger_hold', 'ledger_transaction'],
  ],
  'what a registrar was sent, without registrants and passwords': ['registrar_exchange', 'registrar_finding'],
};

describe('the register of what is personal', () => {
  it('has every table of the schema in one of its three places', async () => {
    const tables = await test.database.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
    );
    const kept = tables.map(({ name }) => name);
    const known = [PERSONAL, OF_NO_ACCOUNT].flatMap((place) => Object.keys(place));
    expect(kept.toSorted()).toEqual([...known, ...Object.values(NAMING_NOBODY).flat()].toSorted());
  });

  it.each(Object.keys(PERSONAL))('knows every column of %s, each once', async (table) => {
    const { exported = '', omitted = '' } = PERSONAL[table] ?? {};
    expect([...columnsIn(exported), ...columnsIn(omitted)].sort()).toEqual(await columnsOf(table));
  });

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
