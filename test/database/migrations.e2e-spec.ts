import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { KeepAnswersByMonth1766000236000 } from '../../migrations/1766000236000-keep-answers-by-month.js';
import { OLDEST_EPOCH_SERVED, SCHEMA_EPOCH } from '../../src/config/product.js';
import { readConfig } from '../../src/config/read-config.js';
import { createDataSource, SERVED_SINCE } from '../../src/db/data-source.js';
import { Database } from '../../src/db/database.js';
import { migrate } from '../../src/db/migrate.js';
import { openDatabase } from '../../src/db/open-database.js';
import { indexCondition, SCORE_TIERS } from '../../src/domains/schema/filters/score-bands.js';
import { messageOf } from '../../src/validation/unknown-values.js';
import { createEmptyDatabase, createTestDatabase, dropDatabase } from '../support/database.js';
import { LAST_RELEASE } from '../support/last-release.js';
import { ROOT } from '../support/processes.js';
import { dumpSchema } from '../support/schema.js';

const SCHEMA = join(ROOT, 'test/database/schema.sql');
/** They change rows, and leave the schema as it is. */
const DATA_ONLY = ['RetryLostScores1766000261000', 'KnowTheLedgerOfOrders1766000266957'];
const quiet = { log: () => undefined, warn: () => undefined, error: () => undefined };

describe('migrations', () => {
  let url: string;
  let dataSource: DataSource;
  beforeEach(async () => {
    url = await createEmptyDatabase();
    dataSource = await createDataSource(url, 2, () => undefined).initialize();
  });
  afterEach(async () => {
    await dataSource.destroy();
    dropDatabase(url);
  });
  const dump = () => dumpSchema(new Database(dataSource));

  it('are those of the folder, in the order of their timestamps', async () => {
    const files = (await readdir(join(ROOT, 'migrations'))).sort();
    const stamp = (text: string) => /\d{13}/.exec(text)?.[0];
    expect(dataSource.migrations.map(({ constructor }) => stamp(constructor.name))).toEqual(files.map(stamp));
  });

  // A changed schema is part of the change that makes it: `npm run schema` writes the file anew.
  it('lead to the schema of test/database/schema.sql', async () => {
    await dataSource.runMigrations();
    const schema = await dump();
    if (process.env.UPDATE_SCHEMA) await writeFile(SCHEMA, schema);
    expect(schema).toBe(await readFile(SCHEMA, 'utf8'));
  });

  it('go down one by one, each to where it came from, and up again to the same', async () => {
    const stages = [await dump()];
    for (const count of dataSource.migrations.keys()) {
      await runFirst(dataSource, count + 1);
      stages.push(await dump());
    }
    expect(new Set(stages).size).toBe(dataSource.migrations.length + 1 - DATA_ONLY.length);
    for (const stage of [...stages].reverse().slice(1)) {
      await dataSource.undoLastMigration();
      expect(await dump()).toBe(stage);
    }
    await dataSource.runMigrations();
    expect(await dump()).toBe(stages.at(-1));
  });

  it('run once when several services start on one database', async () => {
    const config = { url, poolSize: 2, dataDir: '/nonexistent' };
    const services = await Promise.all([1, 2, 3, 4].map(() => openDatabase(config, quiet)));
    await Promise.all(services.map((service) => service.close()));
    const names = await dataSource.query<{ name: string }[]>('SELECT name FROM migration ORDER BY id');
    expect(names.map(({ name }) => name)).toEqual(
      dataSource.migrations.map((migration) => migration.constructor.name),
    );
  });

  it('each have a timestamp of their own, in the order of their names in the list', () => {
    const timestamps = dataSource.migrations.map(({ constructor }) => constructor.name.slice(-13));
    expect(timestamps).toEqual([...new Set(timestamps)].sort());
  });

  it('that fail leave nothing behind, and the next start tries again', async () => {
    await dataSource.query('CREATE TABLE dataset (in_the_way int)');
    const config = { url, poolSize: 2, dataDir: '/nonexistent' };
    await expect(openDatabase(config, quiet)).rejects.toThrow('relation "dataset" already exists');
    await dataSource.query('DROP TABLE dataset');
    await (await openDatabase(config, quiet)).close();
    expect(await dump()).toBe(await readFile(SCHEMA, 'utf8'));
  });

  it('that build indexes beside a running service go on where a kill left them', async () => {
    const place = dataSource.migrations.findIndex(
      ({ constructor }) => constructor.name === 'IndexNameTraits1766000198000',
    );
    await runFirst(dataSource, place + 1);
    const done = await dump();
    // One index is built and has not taken its place, another is as a build that was ended leaves it: of no use.
    await dataSource.query('ALTER INDEX domain_band_0 RENAME TO domain_band_0_new');
    await dataSource.query('CREATE INDEX domain_band_10_new ON domain (length)');
    await dataSource.query('DROP INDEX domain_band_10');
    await dataSource.query(`DELETE FROM migration WHERE name = 'IndexNameTraits1766000198000'`);
    await runFirst(dataSource, place + 1);
    expect(await dump()).toBe(done);
  });

  it('do not read the events while they are locked, and have read them in the end', async () => {
    const isRead = async (before: string) => {
      await runFirst(dataSource, placeOf(before));
      const [row] = await dataSource.query<{ read: boolean }[]>(
        `SELECT convalidated AS read FROM pg_constraint WHERE conname = 'domain_event_type_check'`,
      );
      return row?.read;
    };
    const placeOf = (name: string) =>
      dataSource.migrations.findIndex(({ constructor }) => constructor.name === name);
    expect(await isRead('TellOfPurges1766000195000')).toBe(true);
    expect(await isRead('WatchByWebhook1766000195100')).toBe(false);
    expect(await isRead('ValidateEventTypes1766000199500')).toBe(false);
    await dataSource.runMigrations();
    expect(await isRead('ValidateEventTypes1766000199500')).toBe(true);
  });

  it('that index the audit log go on where a kill left them', async () => {
    const place = dataSource.migrations.findIndex(
      ({ constructor }) => constructor.name === 'IndexAuditActions1766000196100',
    );
    await runFirst(dataSource, place);
    // As a build that was ended leaves it: of no use.
    await dataSource.query('CREATE INDEX audit_log_action ON audit_log (subject)');
    await dataSource.runMigrations();
    expect(await dump()).toBe(await readFile(SCHEMA, 'utf8'));
  });

  it('move kept answers into their months beside a writer, and go on where a kill left them', async () => {
    const place = dataSource.migrations.findIndex(
      ({ constructor }) => constructor.name === 'KeepAnswersByMonth1766000236000',
    );
    await runFirst(dataSource, place);
    await dataSource.query(`
      INSERT INTO answer_text (digest, status, has_rdap_type, text, last_seen_on)
      VALUES ('a', 404, true, '{"title":"Not Found"}', '2026-10-31'), ('b', 200, true, '{}', '2026-11-01')`);
    const former = `
      INSERT INTO answer_log (asked_at, answered_at, text_id, parser, status, domain, source, verdict)
      SELECT at, at + interval '180 ms', CASE number % 3 WHEN 0 THEN 1 WHEN 1 THEN 2 END, 1,
             CASE number % 3 WHEN 0 THEN 404 WHEN 1 THEN 200 ELSE 500 END, 'name-' || number || '.com.au', 'rdap',
             CASE number % 3 WHEN 0 THEN 'available' WHEN 1 THEN 'registered' ELSE 'failing' END`;
    await dataSource.query(
      `${former} FROM generate_series(1, 30000) AS number,
         LATERAL (SELECT timestamptz '2026-10-30' + number * interval '10 s' AS at) AS asked`,
    );
    const migration = new KeepAnswersByMonth1766000236000();
    // Its connection ends while rows are moved, and a process of the version before writes one more.
    const runner = dataSource.createQueryRunner();
    const query = runner.query.bind(runner);
    let moves = 0;
    jest.spyOn(runner, 'query').mockImplementation((sql, values) => {
      if (sql.includes('DELETE FROM answer_log') && (moves += 1) > 1) throw new Error('killed');
      return query(sql, values);
    });
    await expect(migration.up(runner)).rejects.toThrow('killed');
    await runner.release();
    await dataSource.query(
      `${former} FROM (SELECT 30001 AS number, timestamptz '2026-12-01' AS at) AS asked`,
    );
    const count = async (table: string) =>
      (await dataSource.query<{ rows: number }[]>(`SELECT count(*)::int AS rows FROM ${table}`))[0]?.rows;
    expect(await count('kept_answer')).toBeGreaterThan(1_000);
    expect(await count('answer_log')).toBeGreaterThan(1_000);

    await dataSource.runMigrations();
    const kept = await dataSource.query<object[]>(
      `SELECT to_char(asked_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month, verdict, status, text, shape, took_ms,
              count(DISTINCT domain)::int AS answers
         FROM kept_answer JOIN kept_text ON kept_text.id = text_id GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2`,
    );
    const of = (month: string, verdict: string, status: number, text: string | null, answers: number) => ({
      ...{ month, verdict, status, text, shape: null, took_ms: 180, answers },
    });
    expect(kept).toEqual([
      of('2026-10', 'available', 404, '{"title":"Not Found"}', 5_759),
      of('2026-10', 'failing', 500, null, 5_760),
      of('2026-10', 'registered', 200, '{}', 5_760),
      of('2026-11', 'available', 404, '{"title":"Not Found"}', 4_241),
      of('2026-11', 'failing', 500, null, 4_240),
      of('2026-11', 'registered', 200, '{}', 4_240),
      of('2026-12', 'registered', 200, '{}', 1),
    ]);
    expect(await count('kept_answer')).toBe(30_001);
    while ((await count(`migration WHERE timestamp >= 1766000236000`)) !== 0)
      await dataSource.undoLastMigration();
    expect(await count('answer_log')).toBe(30_001);
    expect(await count('answer_log JOIN answer_text ON answer_text.id = text_id')).toBe(20_001);
  });

  // src/domains/search/score-bands.ts writes the conditions of its statements; the planner has to see that they agree.
  it('index the score tiers that search reads', async () => {
    await dataSource.runMigrations();
    for (const [place, tier] of SCORE_TIERS.entries())
      await dataSource.query(
        `CREATE INDEX expected_${place} ON domain (domain) WHERE ${indexCondition(tier)}`,
      );
    const conditions = await dataSource.query<{ name: string; condition: string }[]>(
      `SELECT relname AS name, pg_get_expr(indpred, indrelid) AS condition
         FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        WHERE relname ~ '^(domain_band|expected)_'`,
    );
    const conditionOf = new Map(conditions.map(({ name, condition }) => [name, condition]));
    for (const [place, { index }] of SCORE_TIERS.entries())
      expect([index, conditionOf.get(index)]).toEqual([index, conditionOf.get(`expected_${place}`)]);
  });

  it('since the last version that may still serve beside this one only add, so that it goes on serving', async () => {
    const place = dataSource.migrations.findIndex(
      ({ constructor }) => timestampOf(constructor) > SERVED_SINCE,
    );
    expect(place).not.toBe(0);
    if (place > 0) await runFirst(dataSource, place);
    const before = await describeColumns(dataSource);
    await dataSource.runMigrations();
    const after = new Map((await describeColumns(dataSource)).map((column) => [nameOf(column), column]));
    // What is read is there, of the same type, and what is written is still taken.
    for (const column of before) {
      const now = after.get(nameOf(column));
      expect([nameOf(column), now?.type, now?.required]).toEqual([
        nameOf(column),
        column.type,
        column.required && now?.required,
      ]);
    }
    const known = new Set(before.map(nameOf));
    const tables = new Set(before.map(({ table }) => table));
    const unwritable = [...after.values()].filter(
      (column) => tables.has(column.table) && !known.has(nameOf(column)) && column.required,
    );
    expect(unwritable).toEqual([]);
  });

  it('of a newer version are refused with one line', async () => {
    await dataSource.runMigrations();
    await dataSource.query(
      `INSERT INTO migration (timestamp, name) VALUES (4000000000000, 'Future4000000000000')`,
    );
    const config = { url, poolSize: 2, dataDir: '/nonexistent' };
    await expect(openDatabase(config, quiet)).rejects.toThrow(
      /^The database was migrated by a newer version \(Future4000000000000\), which this one, \d+\.\d+\.\d+, does not know: start that version\.$/,
    );
  });

  it('of a newer version that names this one among those that it serves are left to it, and this one starts', async () => {
    await dataSource.runMigrations();
    await dataSource.query(
      `INSERT INTO migration (timestamp, name) VALUES (4000000000000, 'Future4000000000000')`,
    );
    const config = { url, poolSize: 2, dataDir: '/nonexistent' };
    await dataSource.query('UPDATE schema_epoch SET epoch = $1, oldest = $1', [SCHEMA_EPOCH + 1]);
    await expect(openDatabase(config, quiet)).rejects.toThrow('start that version');
    await dataSource.query('UPDATE schema_epoch SET oldest = $1', [SCHEMA_EPOCH]);
    const { database, close } = await openDatabase(config, quiet);
    expect(await database.query('UPDATE dataset SET refreshed = now() RETURNING 1 AS one')).toEqual([
      { one: 1 },
    ]);
    await close();
  });

  it('close the database to releases that are too old, whatever those know of it', async () => {
    await dataSource.runMigrations();
    const [gate] = await dataSource.query<{ epoch: number }[]>('SELECT epoch FROM schema_epoch');
    expect(gate).toEqual({ epoch: SCHEMA_EPOCH });
    const CHANGES = [
      'UPDATE dataset SET available_records = available_records + 1',
      `INSERT INTO work_holder (id, process, kinds, until) VALUES (gen_random_uuid(), 'p', '{purge}', now())`,
    ];
    const asProgram = async (name: string) => {
      const client = new Client({ connectionString: url, application_name: name });
      await client.connect();
      try {
        const outcomes: unknown[] = [];
        for (const change of CHANGES)
          outcomes.push(
            await client.query(change).then(
              () => 'done',
              (error: unknown) => messageOf(error),
            ),
          );
        return outcomes;
      } finally {
        await client.end();
      }
    };
    // Releases up to 1.1.0 do not say which they are; the schema of today serves the last of them.
    for (const name of ['bowerbird', 'bowerbird/2', 'psql', ''])
      expect([name, await asProgram(name)]).toEqual([name, ['done', 'done']]);
    await dataSource.query('UPDATE schema_epoch SET epoch = 3, oldest = 2');
    const refused = expect.stringContaining(
      'this release is too old for the database (epoch 1, and 2 is the oldest',
    );
    expect(await asProgram('bowerbird')).toEqual([refused, refused]);
    // A connection string of theirs may give any other name.
    for (const name of ['psql', '', 'somebody/9'])
      expect([name, await asProgram(name)]).toEqual([name, [refused, refused]]);
    for (const name of ['bowerbird/2', 'bowerbird/10'])
      expect([name, await asProgram(name)]).toEqual([name, ['done', 'done']]);
    await dataSource.query('UPDATE schema_epoch SET oldest = 3');
    expect(await asProgram('bowerbird/2')).toEqual([
      expect.stringContaining('epoch 2, and 3 is'),
      expect.stringContaining('epoch 2, and 3 is'),
    ]);
  });

  it('close it by themselves: a release has only to say its epoch, and the oldest that it serves', async () => {
    await migrate(url);
    const gate = () => dataSource.query('SELECT epoch, oldest FROM schema_epoch');
    expect(await gate()).toEqual([{ epoch: SCHEMA_EPOCH, oldest: OLDEST_EPOCH_SERVED }]);
    const change = () => dataSource.query('UPDATE dataset SET refreshed = now() RETURNING 1 AS one');
    const next = SCHEMA_EPOCH + 1;
    // A neighbour that names this release.
    await migrate(url, { epoch: next, oldest: SCHEMA_EPOCH });
    await change();
    // This one, started again, opens nothing; nor does one that serves older ones.
    await migrate(url);
    await migrate(url, { epoch: next, oldest: 1 });
    expect(await gate()).toEqual([{ epoch: next, oldest: SCHEMA_EPOCH }]);
    await migrate(url, { epoch: next, oldest: next });
    await expect(change()).rejects.toThrow('this release is too old for the database');
  });

  it('raise the epoch, where the last release did not have them', () => {
    const [newest] = dataSource.migrations.toReversed();
    const isNewer = newest?.constructor.name !== LAST_RELEASE.migration;
    expect(SCHEMA_EPOCH > LAST_RELEASE.epoch).toBe(isNewer);
    expect(OLDEST_EPOCH_SERVED).toBeLessThanOrEqual(SCHEMA_EPOCH);
  });

  it('know the release whatever name DATABASE_URL gives its connections', async () => {
    await dataSource.runMigrations();
    const nameGiven = encodeURIComponent('bowerbird/99');
    const given = `${url}?application%5Fname=${nameGiven}&options=-c%20application_name%3D${nameGiven}`;
    const { database: settings } = readConfig({ DATABASE_URL: given, DATABASE_DIRECT_URL: given });
    const { database, close } = await openDatabase({ ...settings, poolSize: 2 }, quiet);
    const change = () => database.query('UPDATE dataset SET refreshed = now() RETURNING 1 AS one');
    try {
      await dataSource.query('UPDATE schema_epoch SET epoch = $1, oldest = $1', [SCHEMA_EPOCH]);
      expect(await change()).toEqual([{ one: 1 }]);
      await dataSource.query('UPDATE schema_epoch SET epoch = $1, oldest = $1', [SCHEMA_EPOCH + 1]);
      await expect(change()).rejects.toThrow('this release is too old for the database');
    } finally {
      await close();
    }
  });

  it('of version 1.0.0 are refused with what to do, and left as they are', async () => {
    await dataSource.query('CREATE TABLE migration (id serial PRIMARY KEY, timestamp bigint, name text)');
    await dataSource.query(
      `INSERT INTO migration (timestamp, name) VALUES (1765800000000, 'TellOwners1765800000000')`,
    );
    const before = await dump();
    const config = { url, poolSize: 2, dataDir: '/nonexistent' };
    await expect(openDatabase(config, quiet)).rejects.toThrow(
      /^The database is from version 1\.0\.0 \(its last migration is TellOwners1765800000000\), .* Start version 1\.1\.0 on it once/,
    );
    expect(await dump()).toBe(before);
  });

  it('leave one dataset row behind', async () => {
    const test = await createTestDatabase();
    expect(
      await test.database.query('SELECT available_records::int, last_event::int, refreshed FROM dataset'),
    ).toEqual([{ available_records: 0, last_event: 0, refreshed: null }]);
    await test.close();
  });
});

/** TypeORM itself only knows all of them. */
async function runFirst(dataSource: DataSource, count: number): Promise<void> {
  const later = dataSource.migrations.splice(count);
  await dataSource.runMigrations();
  dataSource.migrations.push(...later);
}

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  /** Whether a row cannot be written without it. */
  readonly required: boolean;
}

const nameOf = ({ table, column }: Column) => `${table}.${column}`;
const timestampOf = ({ name }: { name: string }) => Number(name.slice(-13));

function describeColumns(dataSource: DataSource): Promise<Column[]> {
  return dataSource.query<Column[]>(
    `SELECT relname AS "table", attname AS "column", format_type(atttypid, atttypmod) AS type,
            attnotnull AND NOT atthasdef AND attidentity = '' AS required
       FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND attnum > 0 AND NOT attisdropped
      ORDER BY 1, 2`,
  );
}
