import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { open, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip, type Gzip } from 'node:zlib';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { VERSION } from '../../config/version.js';
import { type Database, queryableOf } from '../database.js';
import { END_OF_ROWS, FORMAT, type Foot, type Head, type TableFoot, type TableHead } from './backup-file.js';
import {
  type BackupTable,
  columnList,
  listMigrations,
  listTables,
  quoted,
  readSequences,
} from './backup-tables.js';

/** The fastest: a backup is to be over soon, as long as it runs PostgreSQL keeps what was deleted. */
const GZIP_LEVEL = 1;
/** It holds password hashes and the addresses of people. */
const OWNER_ONLY = 0o600;

export interface BackedUp {
  readonly table: string;
  readonly rows: number;
}

/**
 * Writes the whole dataset to a file, from one snapshot, beside a service that reads and writes. The file appears when it is complete.
 *
 * @param onTable told of each table when it is written
 */
export async function backUp(
  database: Database,
  path: string,
  onTable: (table: BackedUp) => void,
): Promise<void> {
  const partial = `${path}.partial`;
  // One that is there belongs to somebody who is at work, or died.
  const handle = await open(partial, 'wx', OWNER_ONLY);
  const file = handle.createWriteStream({ flush: true });
  const gzip = createGzip({ level: GZIP_LEVEL });
  const written = pipeline(gzip, file);
  // Heard below, where everything else has ended.
  written.catch(() => undefined);
  try {
    await database.withClient((client) => writeSnapshot(client, gzip, onTable));
    gzip.end();
    await written;
    await rename(partial, path);
  } catch (error) {
    gzip.destroy();
    await written.catch(() => undefined);
    await rm(partial, { force: true });
    throw error;
  }
}

async function writeSnapshot(client: Client, gzip: Gzip, onTable: (table: BackedUp) => void): Promise<void> {
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
    await writeLine(gzip, head);
    for (const table of tables) onTable(await writeTable(client, gzip, table));
    // Sequences know no snapshot: read last, they are ahead of every number in it.
    const foot: Foot = { sequences: await readSequences(session) };
    await writeLine(gzip, foot);
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
  }
}

async function writeTable(client: Client, gzip: Gzip, table: BackupTable): Promise<BackedUp> {
  const head: TableHead = table;
  await writeLine(gzip, head);
  const hash = createHash('sha256');
  const copy = client.query(copyTo(`COPY ${quoted(table.table)} (${columnList(table)}) TO STDOUT`));
  for await (const chunk of copy as AsyncIterable<Buffer>) {
    hash.update(chunk);
    await write(gzip, chunk);
  }
  await write(gzip, END_OF_ROWS);
  const foot: TableFoot = { rows: copy.rowCount, sha256: hash.digest('hex') };
  await writeLine(gzip, foot);
  return { table: table.table, rows: foot.rows };
}

function writeLine(gzip: Gzip, value: object): Promise<void> {
  return write(gzip, `${JSON.stringify(value)}\n`);
}

async function write(gzip: Gzip, data: Buffer | string): Promise<void> {
  if (gzip.destroyed) throw gzip.errored ?? new Error('the file was closed');
  if (!gzip.write(data)) await Promise.race([once(gzip, 'drain'), closed(gzip)]);
}

async function closed(gzip: Gzip): Promise<never> {
  await once(gzip, 'close');
  throw gzip.errored ?? new Error('the file was closed');
}
