import { isObject } from '../../validation/unknown-values.js';
import type { Queryable } from '../database.js';

/**
 * A backup is gzipped text: a line of JSON about all of it; for each table a line that names it, its rows as
 * COPY writes them, `\.` alone on a line (which no row is), and a line with their number and checksum; in the end
 * a line with the sequences.
 */
export const FORMAT = 'bowerbird backup 1';

export interface Head {
  readonly format: string;
  readonly version: string;
  readonly taken_at: string;
  /** By their names, the last one says which schema it is. */
  readonly migrations: readonly string[];
  readonly tables: number;
}

export interface TableHead {
  readonly table: string;
  readonly columns: readonly string[];
  /** Of a partitioned table. */
  readonly partitions?: readonly Partition[];
}

export interface Partition {
  readonly name: string;
  /** `FOR VALUES FROM ... TO ...`. */
  readonly bound: string;
}

export interface TableFoot {
  readonly rows: number;
  readonly sha256: string;
}

export interface Foot {
  readonly sequences: Readonly<Record<string, string>>;
}

export const END_OF_ROWS = '\\.\n';
const END_WITHIN = `\n${END_OF_ROWS}`;
const MAX_LINE_BYTES = 1_000_000;

/** Reads a backup from its beginning to its end, however it comes in chunks. */
export class BackupReader {
  private rest: Buffer = Buffer.alloc(0);
  private readonly chunks: AsyncIterator<Buffer>;

  constructor(stream: AsyncIterable<Buffer>) {
    this.chunks = stream[Symbol.asyncIterator]();
  }

  /** The next line, which is an object in JSON. @throws {Error} when it is none */
  async object(): Promise<Record<string, unknown>> {
    const line = await this.line();
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (cause) {
      throw new Error('The file is no backup, or is damaged.', { cause });
    }
    if (!isObject(value)) throw new Error('The file is no backup, or is damaged.');
    return value;
  }

  /** The rows that follow, as they are, to be read to their end. */
  async *rows(): AsyncGenerator<Buffer> {
    for (let isAtStart = true; ;) {
      if (isAtStart && this.rest.indexOf(END_OF_ROWS) === 0) {
        this.rest = this.rest.subarray(END_OF_ROWS.length);
        return;
      }
      const end = this.rest.indexOf(END_WITHIN);
      if (end >= 0) {
        yield this.rest.subarray(0, end + 1);
        this.rest = this.rest.subarray(end + END_WITHIN.length);
        return;
      }
      // Bytes that may be the beginning of the end mark stay in the buffer.
      const sure = this.rest.length - END_OF_ROWS.length;
      if (sure > 0) {
        yield this.rest.subarray(0, sure);
        this.rest = this.rest.subarray(sure);
        isAtStart = false;
      }
      await this.more();
    }
  }

  private async line(): Promise<string> {
    for (;;) {
      const end = this.rest.indexOf('\n');
      if (end >= 0) {
        const line = this.rest.toString('utf8', 0, end);
        this.rest = this.rest.subarray(end + 1);
        return line;
      }
      if (this.rest.length > MAX_LINE_BYTES) throw new Error('The file is no backup, or is damaged.');
      await this.more();
    }
  }

  private async more(): Promise<void> {
    const next = await this.chunks.next();
    if (next.done === true) throw new Error('The backup is cut off: its end is missing.');
    this.rest = this.rest.length === 0 ? next.value : Buffer.concat([this.rest, next.value]);
  }
}

/** A table with the columns that are copied: all but generated ones. */
export interface BackupTable {
  readonly table: string;
  readonly columns: readonly string[];
}

/** TypeORM's list; a restore compares it and leaves it as it is. */
const MIGRATIONS = 'migration';

/** The tables of the schema, a partitioned one without its partitions, each after the tables that it references. */
export async function listTables(database: Queryable): Promise<BackupTable[]> {
  const tables = await database.query<{ table: string; columns: string[]; needs: string[] }>(
    `SELECT relname AS "table",
            array_agg(attname::text ORDER BY attnum) AS columns,
            ARRAY(SELECT confrelid::regclass::text FROM pg_constraint
                   WHERE conrelid = pg_class.oid AND contype = 'f' AND confrelid <> conrelid) AS needs
       FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
      WHERE relkind IN ('r', 'p') AND NOT relispartition
        AND relnamespace = current_schema()::regnamespace AND relname <> $1
        AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
      GROUP BY pg_class.oid, relname ORDER BY relname COLLATE "C"`,
    [MIGRATIONS],
  );
  const sorted: BackupTable[] = [];
  for (let open = tables; open.length > 0;) {
    const names = new Set(open.map(({ table }) => table));
    const free = open.filter(({ needs }) => !needs.some((other) => names.has(other)));
    if (free.length === 0) throw new Error(`These tables refer to each other: ${[...names].join(', ')}`);
    sorted.push(...free.map(({ table, columns }) => ({ table, columns })));
    open = open.filter((table) => !free.includes(table));
  }
  return sorted;
}

/** The partitions of a table; none of one that has no partitions. */
export function listPartitions(database: Queryable, table: string): Promise<Partition[]> {
  return database.query<Partition & Record<string, unknown>>(
    `SELECT relname AS name, pg_get_expr(relpartbound, pg_class.oid) AS bound
       FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = $1::regclass ORDER BY 1`,
    [quoted(table)],
  );
}

/** Whether it is what {@link listPartitions} reads: restoring runs it. */
export function isPartition(value: unknown): value is Partition {
  return (
    isObject(value) &&
    /^[a-z]\w*$/.test(String(value.name)) &&
    /^FOR VALUES FROM \('[\d :.+-]+'\) TO \('[\d :.+-]+'\)$/.test(String(value.bound))
  );
}

export async function listMigrations(database: Queryable): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `SELECT name FROM ${MIGRATIONS} ORDER BY timestamp, id`,
  );
  return rows.map(({ name }) => name);
}

/** The last values of sequences; unused sequences are left out. */
export async function readSequences(database: Queryable): Promise<Record<string, string>> {
  const rows = await database.query<{ name: string; last: string }>(
    `SELECT sequencename AS name, last_value::text AS last FROM pg_sequences
      WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY 1`,
  );
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const columnList = ({ columns }: BackupTable): string => columns.map(quoted).join(', ');
