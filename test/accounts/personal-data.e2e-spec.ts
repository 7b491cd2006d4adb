import { AccountDataRepository } from '../../src/accounts/account-data.repository.js';
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

describe('the register of what is personal', () => {
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
