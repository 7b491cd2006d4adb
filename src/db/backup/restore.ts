import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { isObject, messageOf } from '../../validation/unknown-values.js';
import { type Database, type Queryable, unpipelined } from '../database.js';
import type { BackedUp } from './backup.js';
import {
  BackupReader,
  FORMAT,
  type BackupTable,
  columnList,
  isPartition,
  listMigrations,
  listTables,
  quoted,
} from './backup-file.js';

/** For building indexes: a restore is alone on its database. */
const INDEX_MEMORY = '256MB';

/** Migrations make a row of each; what the backup has takes its place. */
const HAVE_ROWS_WHEN_EMPTY = [
  'dataset',
  'registry_pace',
  'auth_version',
  'lifecycle_guard',
  'archive_service',
  'list_secret',
  'schema_epoch',
  'word_fill',
  'former_site_fill',
];

/**
 * Fills an empty database of the same schema with a backup: all of it, or nothing.
 *
 * @param onTable told of each table when it is filled
 * @throws {Error} for the operator, when the file is damaged or of another schema, or the database is not empty
 */
export async function restore(
  database: Database,
  path: string,
  onTable: (table: BackedUp) => void,
): Promise<void> {
  const file = createReadStream(path);
  await restoreFrom(database, file, onTable).finally(() => file.destroy());
}

/** The same from the content of the file. */
export async function restoreFrom(
  database: Database,
  packed: Readable,
  onTable: (table: BackedUp) => void,
): Promise<void> {
  const gunzip = createGunzip();
  const ended = pipeline(packed, gunzip);
  ended.catch(() => undefined);
  // The reader gets the error as it reads; without a listener, an error after the pipeline's end would end the process.
  gunzip.on('error', () => undefined);
  try {
    const reader = new BackupReader(gunzip as AsyncIterable<Buffer>);
    await database.transaction((transaction, client) => fill(transaction, client, reader, onTable));
  } catch (error) {
    throw isDamage(error) ? new Error(`The file is damaged: ${messageOf(error)}`, { cause: error }) : error;
  } finally {
    gunzip.destroy();
  }
  await database.query('ANALYZE');
}

/**
 * Reads every row of a restored database, whose pages PostgreSQL compares with their sums. @returns how many
 *
 * @throws {Error} when its counters do not belong to its rows
 */
export async function readAll(database: Queryable): Promise<number> {
  let rows = 0;
  for (const { table } of await listTables(database)) {
    const [counted] = await database.query<{ rows: string }>(
      `SELECT count(t.*)::text AS rows FROM ${quoted(table)} AS t`,
    );
    rows += Number(counted?.rows);
  }
  const [dataset] = await database.query<{ agrees: boolean }>(
    `SELECT last_event = (SELECT coalesce(max(number), last_event) FROM domain_event)
            AND available_records = (SELECT count(*) FROM domain WHERE available AND NOT hidden) AS agrees FROM dataset`,
  );
  if (dataset?.agrees !== true) throw new Error('the counters of the dataset do not belong to its rows');
  return rows;
}

async function fill(
  transaction: Queryable,
  client: Client,
  reader: BackupReader,
  onTable: (table: BackedUp) => void,
): Promise<void> {
  const head = await reader.object();
  if (head.format !== FORMAT) throw new Error('The file is no backup, or one of another format.');
  await assertSameSchema(transaction, head.migrations);
  const tables = await listTables(transaction);
  const all = tables.map(({ table }) => quoted(table)).join(', ');
  await client.query(
    `SET LOCAL maintenance_work_mem = '${INDEX_MEMORY}'; SET LOCAL lock_timeout = '10s'; LOCK TABLE ${all} IN ` +
      'ACCESS EXCLUSIVE MODE',
  );
  await assertEmpty(transaction, tables);
  // What triggers would do is in the backup already; some refuse to empty their table.
  for (const { table } of tables) await client.query(`ALTER TABLE ${quoted(table)} DISABLE TRIGGER USER`);
  await client.query(`TRUNCATE ${all}`);
  const open = new Map(tables.map((table) => [table.table, table]));
  for (let count = 0; count < tables.length; count += 1) {
    const { table: name, columns, partitions = [] } = await reader.object();
    const table = open.get(String(name));
    if (!table || !isSameList(columns, table.columns))
      throw new Error(`The backup has another table than this schema: ${String(name)}`);
    open.delete(table.table);
    await createPartitions(transaction, table, partitions);
    onTable(await withoutIndexes(transaction, table, () => fillTable(client, reader, table)));
  }
  if (open.size > 0 || head.tables !== tables.length)
    throw new Error('The backup lacks tables of this schema.');
  const { sequences } = await reader.object();
  for (const [name, last] of Object.entries((sequences ?? {}) as Record<string, unknown>))
    await transaction.query('SELECT setval($1::regclass, $2::bigint)', [quoted(name), last]);
}

/** Partitions of the backup are created before its rows are copied. */
async function createPartitions(
  transaction: Queryable,
  { table }: BackupTable,
  partitions: unknown,
): Promise<void> {
  if (!Array.isArray(partitions) || !partitions.every(isPartition))
    throw new Error(`The backup is damaged: it has no partitions of ${table}.`);
  for (const { name, bound } of partitions)
    await transaction.query(
      `CREATE TABLE IF NOT EXISTS ${quoted(name)} PARTITION OF ${quoted(table)} ${bound}`,
    );
}

/**
 * Builds the indexes when the rows are there: to keep them while a million names come in takes many times as
 * long as the rows do. Those of constraints and of partitioned tables stay.
 */
async function withoutIndexes<Result>(
  transaction: Queryable,
  { table }: BackupTable,
  fillIt: () => Promise<Result>,
): Promise<Result> {
  const indexes = await transaction.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
       FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
      WHERE indrelid = $1::regclass AND relkind = 'r'
        AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`,
    [quoted(table)],
  );
  for (const { name } of indexes) await transaction.query(`DROP INDEX ${name}`);
  const filled = await fillIt();
  for (const { definition } of indexes) await transaction.query(definition);
  return filled;
}

async function fillTable(client: Client, reader: BackupReader, table: BackupTable): Promise<BackedUp> {
  const name = quoted(table.table);
  const hash = createHash('sha256');
  const copy = copyFrom(`COPY ${name} (${columnList(table)}) FROM STDIN`);
  await unpipelined(client, () => pipeline(Readable.from(noted(reader.rows(), hash)), client.query(copy)));
  await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
  const { rows, sha256 } = await reader.object();
  if (copy.rowCount !== rows || hash.digest('hex') !== sha256)
    throw new Error(`The backup is damaged: the rows of ${table.table} are not those that were written.`);
  return { table: table.table, rows: copy.rowCount };
}

async function* noted(
  rows: AsyncIterable<Buffer>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Buffer> {
  for await (const chunk of rows) {
    hash.update(chunk);
    yield chunk;
  }
}

async function assertSameSchema(transaction: Queryable, migrations: unknown): Promise<void> {
  const own = await listMigrations(transaction);
  if (isSameList(migrations, own)) return;
  const last = Array.isArray(migrations) ? String(migrations.at(-1)) : 'none';
  throw new Error(
    `The backup has the schema of ${last}, this database that of ${own.at(-1) ?? 'none'}. Restore it with the ` +
      'version that made it, and upgrade then.',
  );
}

async function assertEmpty(transaction: Queryable, tables: readonly BackupTable[]): Promise<void> {
  for (const { table } of tables) {
    if (HAVE_ROWS_WHEN_EMPTY.includes(table)) continue;
    const [row] = await transaction.query<{ found: boolean }>(
      `SELECT EXISTS (SELECT FROM ${quoted(table)}) AS found`,
    );
    if (row?.found)
      throw new Error(`The database is not empty: there are rows in ${table}. Restore into a new one.`);
  }
}

function isSameList(one: unknown, other: readonly string[]): boolean {
  return (
    Array.isArray(one) && one.length === other.length && one.every((name, place) => name === other[place])
  );
}

/** What zlib says of a file that is cut off, was changed, or is none of its own. */
function isDamage(error: unknown): boolean {
  return isObject(error) && 'code' in error && /^Z_/.test(String(error.code));
}
