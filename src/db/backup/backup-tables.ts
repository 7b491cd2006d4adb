import type { Queryable } from '../database.js';

/** A table as it is copied: its own columns, without those that PostgreSQL generates. */
export interface BackupTable {
  readonly table: string;
  readonly columns: readonly string[];
}

/** TypeORM's list; a restore compares it and leaves it as it is. */
const MIGRATIONS = 'migration';

/** The tables of the schema, each behind those that it refers to. */
export async function listTables(database: Queryable): Promise<BackupTable[]> {
  const tables = await database.query<{ table: string; columns: string[]; needs: string[] }>(
    `SELECT relname AS "table",
            array_agg(attname::text ORDER BY attnum) AS columns,
            ARRAY(SELECT confrelid::regclass::text FROM pg_constraint
                   WHERE conrelid = pg_class.oid AND contype = 'f' AND confrelid <> conrelid) AS needs
       FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
      WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname <> $1
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

/** The migrations that the schema has gone through, in their order. */
export async function listMigrations(database: Queryable): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `SELECT name FROM ${MIGRATIONS} ORDER BY timestamp, id`,
  );
  return rows.map(({ name }) => name);
}

/** How far sequences have counted; those that have not begun are left out. */
export async function readSequences(database: Queryable): Promise<Record<string, string>> {
  const rows = await database.query<{ name: string; last: string }>(
    `SELECT sequencename AS name, last_value::text AS last FROM pg_sequences
      WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY 1`,
  );
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const columnList = ({ columns }: BackupTable): string => columns.map(quoted).join(', ');
