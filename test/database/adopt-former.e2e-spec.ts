import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { createDataSource, SQUASHED_MIGRATIONS } from '../../src/db/data-source.js';
import { Database } from '../../src/db/database.js';
import { migrate } from '../../src/db/migrate.js';
import { createEmptyDatabase, dropDatabase } from '../support/database.js';
import { ROOT } from '../support/processes.js';
import { dumpSchema } from '../support/schema.js';

const FORMER = join(ROOT, 'test/database/version-1.0.0.sql');
const SCHEMA = join(ROOT, 'test/database/schema.sql');
/** What an upgrade may never lose a row of. */
const KEPT = [
  'account',
  'account_credential',
  'api_key',
  'domain',
  'domain_event',
  'webhook',
  'webhook_delivery',
];

describe('a database of the former migrations', () => {
  let url: string;
  let dataSource: DataSource;
  beforeEach(async () => {
    url = await createEmptyDatabase();
    await load(url);
    dataSource = await createDataSource(url, 2, () => undefined).initialize();
  });
  afterEach(async () => {
    await dataSource.destroy();
    await dropDatabase(url);
  });
  const names = async () =>
    (await dataSource.query<{ name: string }[]>('SELECT name FROM migration ORDER BY id')).map(
      ({ name }) => name,
    );
  const squashed = SQUASHED_MIGRATIONS.map(({ name }) => name);

  it('goes on with the squashed ones: its rows in the list are replaced, and only later migrations run', async () => {
    const applied = await migrate(url);
    const all = dataSource.migrations.map((migration) => migration.constructor.name);
    expect(applied).toEqual(all.slice(squashed.length));
    expect(await names()).toEqual(all);
    expect(await dumpSchema(new Database(dataSource))).toBe(await readFile(SCHEMA, 'utf8'));
  });

  it('keeps what it holds, on the way up, down again to the squashed ones, and up once more', async () => {
    const before = await countRows(dataSource);
    expect(Math.min(...Object.values(before))).toBeGreaterThan(0);
    const later = await migrate(url);
    expect(await countRows(dataSource)).toEqual(before);
    for (let left = later.length; left > 0; left -= 1) await dataSource.undoLastMigration();
    expect(await names()).toEqual(squashed);
    expect(await countRows(dataSource)).toEqual(before);
    await migrate(url);
    expect(await countRows(dataSource)).toEqual(before);
  });

  it('offers none of its names until somebody has been asked about it', async () => {
    await migrate(url);
    const [row] = await dataSource.query<Record<string, number>[]>(
      `SELECT count(*) FILTER (WHERE state = 'unconfirmed')::int AS unconfirmed, count(*) FILTER (WHERE state = 'taken')::int AS taken,
              count(*) FILTER (WHERE available)::int AS available, (SELECT available_records FROM dataset)::int AS counted
         FROM domain`,
    );
    expect(row).toEqual({ unconfirmed: 6, taken: 1, available: 0, counted: 0 });
  });

  it('is taken over once when several services start on it', async () => {
    await Promise.all([1, 2, 3].map(() => migrate(url)));
    expect((await names()).slice(0, squashed.length)).toEqual(squashed);
  });

  describe.each([
    ['lacks the last migration', 'ALTER TABLE webhook DROP COLUMN tell_owner_after', 'webhook'],
    ['has another rule', 'ALTER TABLE api_key DROP CONSTRAINT api_key_hash_check', 'api_key'],
    ['has another index', 'CREATE INDEX mine ON domain (checked_at)', 'domain'],
    ['lacks a trigger', 'DROP TRIGGER announce_events ON domain_event', 'domain_event'],
    ['has another function', 'ALTER FUNCTION domain_grams(text, text) COST 1', 'domain_grams()'],
    ['lacks a table', 'DROP TABLE registry_pause', 'registry_pause'],
  ])('that %s', (_, change, different) => {
    it('is refused with one line, and left as it is', async () => {
      await dataSource.query(change);
      const before = await names();
      await expect(migrate(url)).rejects.toThrow(
        `The database was made by an earlier version and is not as 1.0.0 left it (different: ${different}); start 1.0.0 on it once, then this version.`,
      );
      expect(await names()).toEqual(before);
    });
  });
});

async function load(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(await readFile(FORMER, 'utf8'));
  } finally {
    await client.end();
  }
}

async function countRows(dataSource: DataSource): Promise<Record<string, number>> {
  const counts = KEPT.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`);
  const [row] = await dataSource.query<Record<string, number>[]>(`SELECT ${counts.join(', ')}`);
  return row ?? {};
}
