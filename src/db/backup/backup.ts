import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { VERSION } from '../../config/product.js';
import { hasCode } from '../../validation/unknown-values.js';
import { type Database, queryableOf } from '../database.js';
import {
  END_OF_ROWS,
  FORMAT,
  type Foot,
  type Head,
  type TableFoot,
  type TableHead,
  type BackupTable,
  columnList,
  listMigrations,
  listPartitions,
  listTables,
  quoted,
  readSequences,
} from './backup-file.js';

/** The fastest level: PostgreSQL cannot remove deleted rows while a backup runs. */
const GZIP_LEVEL = 1;
/** It holds password hashes and the addresses of people. */
const OWNER_ONLY = 0o600;

export interface BackedUp {
  readonly table: string;
  readonly rows: number;
}

/**
 * Writes the whole dataset to a file, from one snapshot, beside a service that reads and writes. The file
 * appears when it is complete.
 *
 * @param onTable told of each table when it is written
 */
export async function backUp(
  database: Database,
  path: string,
  onTable: (table: BackedUp) => void,
): Promise<void> {
  const partial = `${path}.partial`;
  const handle = await openNew(partial);
  try {
    await dump(database, handle.createWriteStream({ flush: true }), onTable);
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** The same to any stream, which it ends. */
export async function dump(
  database: Database,
  into: Writable,
  onTable: (table: BackedUp) => void,
): Promise<void> {
  const gzip = createGzip({ level: GZIP_LEVEL });
  await database.withClient((client) => pipeline(snapshotOf(client, onTable), gzip, into));
}

async function openNew(partial: string): Promise<FileHandle> {
  try {
    return await open(partial, 'wx', OWNER_ONLY);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    throw new Error(
      `${partial} is there already: another backup is being written to it, or one was killed. If none is under ` +
        'way, delete it.',
      { cause: error },
    );
  }
}

async function* snapshotOf(
  client: Client,
  onTable: (table: BackedUp) => void,
): AsyncGenerator<Buffer | string, void> {
  const session = queryableOf(client);
  const tables = await listTables(session);
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    // Before the first look, which is the snapshot: an import may put another table in the place of one.
    await client.query(
      `LOCK TABLE ${tables.map(({ table }) => quoted(table)).join(', ')} IN ACCESS SHARE MODE`,
    );
    const [moment] = await session.query<{ now: Date }>('SELECT now()');
    const head: Head = {
      format: FORMAT,
      version: VERSION,
      taken_at: (moment?.now ?? new Date()).toISOString(),
      migrations: await listMigrations(session),
      tables: tables.length,
    };
    yield lineOf(head);
    for (const table of tables) onTable(yield* contentOf(client, table));
    // Sequences know no snapshot: read last, they are ahead of every number in it.
    const foot: Foot = { sequences: await readSequences(session) };
    yield lineOf(foot);
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
  }
}

async function* contentOf(client: Client, table: BackupTable): AsyncGenerator<Buffer | string, BackedUp> {
  const partitions = await listPartitions(queryableOf(client), table.table);
  const head: TableHead = { ...table, ...(partitions.length > 0 && { partitions }) };
  yield lineOf(head);
  const hash = createHash('sha256');
  const copy = client.query(
    copyTo(`COPY (SELECT ${columnList(table)} FROM ${quoted(table.table)}) TO STDOUT`),
  );
  for await (const chunk of copy as AsyncIterable<Buffer>) {
    hash.update(chunk);
    yield chunk;
  }
  yield END_OF_ROWS;
  const foot: TableFoot = { rows: copy.rowCount, sha256: hash.digest('hex') };
  yield lineOf(foot);
  return { table: table.table, rows: foot.rows };
}

const lineOf = (value: object): string => `${JSON.stringify(value)}\n`;
