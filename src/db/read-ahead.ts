import { Logger } from '@nestjs/common';
import type { Database, Queryable } from './database.js';

/** A server that has run for longer has the pages that are asked for in memory. */
const MAX_UPTIME_SECONDS = 300;
/** Ten gigabytes at the pace of an ordinary disk; the rest is read when it is asked for. */
const MAX_MS = 10_000;

/**
 * Reads the names into memory where PostgreSQL has just started. pg_prewarm, where the server has it, brings back its
 * own pages, but the rows that a list of grams finds lie all over the table.
 */
export async function readAhead(database: Database): Promise<void> {
  const [server] = await database.query<{ isYoung: boolean }>(
    `SELECT pg_postmaster_start_time() > clock_timestamp() - make_interval(secs => $1) AS "isYoung"`,
    [MAX_UPTIME_SECONDS],
  );
  if (!server?.isYoung) return;
  try {
    // Whole rows, as an index would tell how many there are.
    await database.transaction(async (transaction) => {
      await transaction.query(`SET LOCAL statement_timeout = ${MAX_MS}`);
      await transaction.query('SELECT count(domain.*) FROM domain');
    });
  } catch (error) {
    new Logger('Database').debug(`Names are read when they are asked for: ${String(error)}`);
  }
}

/**
 * Files the entries that were appended to the GIN indexes since the last time. A name has some thirty grams, each in
 * another place of its index: a writer of a name only appends them to the pending list of the index (fastupdate), which
 * searches read as well, and this files the names of the list together. 2,500 names in ten million take 0.3 s of CPU
 * time so and 0.8 one by one, 0.7 and 1.8 s with cold caches.
 */
export async function filePending(source: Queryable, indexes: readonly string[]): Promise<void> {
  for (const index of indexes) await source.query('SELECT gin_clean_pending_list($1::regclass)', [index]);
}
