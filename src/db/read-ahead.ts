import { Logger } from '@nestjs/common';
import type { Database } from './database.js';

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
