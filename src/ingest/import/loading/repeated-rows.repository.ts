import type { Queryable } from '../../../db/database.js';

/** A row whose name another row of the file speaks for. */
export interface RepeatedRow {
  readonly line: number;
  readonly domain: string;
  /** The line that counts. */
  readonly kept_line: number;
}

const BATCH_ROWS = 5_000;

/** Makes room for the rows that another row of the same file speaks for, on the connection of one import. */
export async function createRepeatedRows(connection: Queryable): Promise<void> {
  await connection.query(
    'CREATE TEMPORARY TABLE repeated_row (line integer, domain text COLLATE "C", kept_line integer)',
  );
}

/**
 * Leaves the newest row of each name, by its purge or its day; of rows that are equally new, the last.
 *
 * @param table with the columns domain, first_seen and line
 * @param purgeAt its column for the purge, if it has one
 * @returns how many rows went to repeated_row
 */
export async function removeRepeatedFrom(
  transaction: Queryable,
  table: string,
  purgeAt: 'purge_at' | 'NULL::timestamptz',
): Promise<number> {
  const [row] = await transaction.query<{ count: number }>(
    `WITH repeated AS (
       SELECT domain FROM ${table} GROUP BY domain HAVING count(*) > 1
     ), ranked AS (
       SELECT domain, line,
              first_value(line) OVER (
                PARTITION BY domain
                ORDER BY ${purgeAt} DESC NULLS LAST, first_seen DESC NULLS LAST, line DESC
              ) AS kept_line
         FROM ${table} JOIN repeated USING (domain)
     ), removed AS (
       DELETE FROM ${table} AS staged USING ranked
        WHERE staged.domain = ranked.domain AND staged.line = ranked.line AND ranked.line <> ranked.kept_line
       RETURNING ranked.line, ranked.domain, ranked.kept_line
     ), kept AS (
       INSERT INTO repeated_row (line, domain, kept_line) SELECT line, domain, kept_line FROM removed RETURNING 1
     )
     SELECT count(*)::int AS count FROM kept`,
  );
  return row?.count ?? 0;
}

/** The rows that another row of the file speaks for, in the file's order, in batches. */
export async function* listRepeatedRows(transaction: Queryable): AsyncGenerator<RepeatedRow[]> {
  await transaction.query(
    'DECLARE repeated CURSOR FOR SELECT line, domain, kept_line FROM repeated_row ORDER BY line',
  );
  for (;;) {
    const rows = await transaction.query<RepeatedRow & Record<string, unknown>>(
      `FETCH ${BATCH_ROWS} FROM repeated`,
    );
    yield rows;
    if (rows.length < BATCH_ROWS) break;
  }
  await transaction.query('CLOSE repeated');
}
