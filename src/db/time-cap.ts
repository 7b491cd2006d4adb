import { type Pool, type PoolClient, Query, type QueryResultRow } from 'pg';
import { type PoolUse, type PreparedStatement, useOf } from './database.js';
import { withCancellation } from './scope.js';
import { openPool } from './open-pool.js';
import { BOUND_REACHED, isSqlState, QUERY_CANCELED, RequestEnded } from '../errors/database-failure.js';

/** Rows of a statement that may have been cut off. */
export interface CappedRows<Row> {
  readonly rows: Row[];
  /** True when the time cap ended the statement; `rows` are then the ones it had given before. */
  readonly timedOut: boolean;
  /** Whether the statement ended itself at its bound: there are more names than it may read. */
  readonly isTooBroad?: boolean;
}

/** A server that has not even said after this that the cap has struck is taken for gone. */
const CAP_GRACE_MS = 3_000;
/**
 * Memory for the row positions of every name with a common gram. With the default of 4 MB, the bitmap of a tenth
 * of ten million names keeps pages instead of rows, and the grams of all names on them are computed again.
 */
const WORK_MEM_MB = 32;
/**
 * Of the cap, the longest wait for a lock: who only waited has found nothing, which is no empty list but a
 * failure (55P03), and must not be ended by the cap, which stands for a search that was too broad.
 */
const LOCK_SHARE = 0.8;
/** Well within the grace. */
export const MAX_LONGER_MS = 2_000;

/** How long a statement waits. */
export interface CappedWaits {
  /** For the server, beyond the cap. */
  readonly graceMs?: number;
  /** For a free connection, or for a new one. */
  readonly connectTimeoutMs?: number;
}

/**
 * Connections for short ranked reads; PostgreSQL ends each statement after the cap. The cap belongs to the
 * session, so a read is one round trip instead of four (BEGIN, SET LOCAL, the statement, COMMIT: 0.25 ms more on
 * loopback). Statements are prepared once a session and keep their plan, because planning was half of a fast read.
 * A plan made for a small table must also serve a large one, so sequential scans are off. So are sorts where an
 * index has the order: with them PostgreSQL sorted 3.2 million names for a page of 50. So are parallel workers,
 * whose start takes 5 ms.
 */
export class CappedPool {
  private readonly pool: Pool;

  constructor(
    url: string,
    private readonly capMs: number,
    size: number,
    onIdleError: (error: Error) => void,
    { graceMs = CAP_GRACE_MS, ...waits }: CappedWaits = {},
  ) {
    this.pool = openPool({ url, size, kept: 1, queryTimeoutMs: capMs + graceMs, onIdleError, ...waits });
    // Queued before the borrower's statements, so none runs without it.
    this.pool.on('connect', (client) => {
      client.query(sessionSettings(capMs)).catch(onIdleError);
    });
  }

  /**
   * Runs one statement; what it had given when the cap struck is kept.
   *
   * @param longerMs more than the usual cap, {@link MAX_LONGER_MS} at most; two statements dearer
   */
  async query<Row extends QueryResultRow>(
    statement: PreparedStatement,
    longerMs = 0,
  ): Promise<CappedRows<Row>> {
    const client = await this.pool.connect();
    try {
      if (longerMs > 0) await client.query(capSetting(this.capMs + Math.min(longerMs, MAX_LONGER_MS)));
      const result = await withCancellation(client, () => collect<Row>(client, statement));
      if (longerMs > 0) await client.query(capSetting(this.capMs));
      client.release();
      return result;
    } catch (error) {
      // A cancelled statement leaves the connection as it was; the cap of a longer one still stands.
      client.release(longerMs > 0 || !(error instanceof RequestEnded));
      throw error;
    }
  }

  get use(): PoolUse {
    return useOf(this.pool);
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}

function sessionSettings(capMs: number): string {
  return `${capSetting(capMs)};
          SET lock_timeout = ${Math.max(1, Math.floor(capMs * LOCK_SHARE))};
          SET plan_cache_mode = force_generic_plan;
          SET work_mem = '${WORK_MEM_MB}MB';
          SET max_parallel_workers_per_gather = 0;
          SET enable_seqscan = off;
          SET enable_sort = off;
          SET enable_incremental_sort = off;
          SET jit = off`;
}

function capSetting(capMs: number): string {
  return `SET statement_timeout = ${Math.round(capMs)}`;
}

// PostgreSQL sends the rows that it has before it sends the error, and the driver hands each over as it comes.
function collect<Row extends QueryResultRow>(
  client: PoolClient,
  statement: PreparedStatement,
): Promise<CappedRows<Row>> {
  return new Promise((resolve, reject) => {
    const rows: Row[] = [];
    // By callback: where the driver keeps a time limit, errors go there and are not emitted.
    const query = new Query<Row>({ ...statement, values: [...statement.values] }, (error) => {
      if (!error) resolve({ rows, timedOut: false });
      else if (isSqlState(error, QUERY_CANCELED)) resolve({ rows, timedOut: true });
      else if (isSqlState(error, BOUND_REACHED)) resolve({ rows, timedOut: false, isTooBroad: true });
      else reject(error);
    });
    query.on('row', (row) => rows.push(row));
    client.query(query);
  });
}
