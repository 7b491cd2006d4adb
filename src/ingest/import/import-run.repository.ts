import { ADVISORY_LOCKS } from '../../config/product.js';
import type { Database, Queryable } from '../../db/database.js';

const KEPT = '7 days';

/** An import that ended before its file did. */
export interface UnfinishedImport {
  readonly source: string;
  /** When its last batch was committed. */
  readonly at: Date;
  /** Rows of its file that are in. */
  readonly rows: number;
}

/** @returns null also while an import runs */
export async function findUnfinishedImport(database: Queryable): Promise<UnfinishedImport | null> {
  const [found] = await database.query<UnfinishedImport & Record<string, unknown>>(
    `SELECT source, touched_at AS at, ((counts->>'added')::int + (counts->>'changed')::int + (counts->>'unchanged')::int
              + (counts->>'absent')::int) AS rows
       FROM import_run
      WHERE NOT EXISTS (SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
                         WHERE datname = current_database() AND locktype = 'advisory' AND granted AND objid = $1)
      ORDER BY touched_at DESC LIMIT 1`,
    [ADVISORY_LOCKS.import],
  );
  return found ?? null;
}

/** The next import of its file begins at the first row; rows that are in stay. @returns its source; null: there is none */
export async function discardUnfinishedImport(transaction: Queryable): Promise<string | null> {
  const unfinished = await findUnfinishedImport(transaction);
  if (unfinished) await transaction.query('DELETE FROM import_run');
  return unfinished?.source ?? null;
}

/** Deletes the places of old imports. Such a file is imported from its first row; rows that are in stay as they are. */
export async function deleteOldImportRuns(database: Database): Promise<void> {
  await database.query(`DELETE FROM import_run WHERE touched_at < clock_timestamp() - interval '${KEPT}'`);
}
