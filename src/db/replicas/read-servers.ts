import type { Pool, QueryResultRow } from 'pg';
import { type Database, keptAs, type PreparedStatement, type Queryable, queryableOf } from '../database.js';
import { openPool } from '../open-pool.js';
import { RequestEnded } from '../../errors/database-failure.js';
import { withCancellation } from '../scope.js';
import { CappedPool, type CappedRows } from '../time-cap.js';
import { WRITTEN, readWalPosition, type WalPosition } from './wal.js';

/** A server that a read can go to: the primary or a replica. */
export interface ReadServer {
  readonly rows: Queryable;
  /** Runs a statement under the time cap of searches. */
  capped<Row extends QueryResultRow>(statement: PreparedStatement): Promise<CappedRows<Row>>;
  /** A place in the log behind everything that reads here have shown so far. */
  position(): Promise<string>;
}

export class PrimaryReads implements ReadServer {
  constructor(
    readonly rows: Database,
    readonly searches: CappedPool,
  ) {}

  capped<Row extends QueryResultRow>(
    statement: PreparedStatement,
    longerMs?: number,
  ): Promise<CappedRows<Row>> {
    return this.rows.guard(() => this.searches.query<Row>(statement, longerMs));
  }

  async position(): Promise<string> {
    const [row] = await this.rows.query<{ position: string }>(WRITTEN);
    if (!row) throw new Error('the primary gave no position');
    return row.position;
  }
}

/** After this time the primary is asked instead; the caller waits for both. */
const MAX_ANSWER_MS = 1_000;
/** Beyond a limit that the server keeps itself. */
const ANSWER_GRACE_MS = 250;

export interface PoolSettings {
  readonly size: number;
  /** The longest that a statement may take. */
  readonly timeoutMs: number;
  /** The same for searches. */
  readonly capMs: number;
}

/** The connections to a replica that reads are done on. */
export class ReplicaPools implements ReadServer {
  readonly rows: Queryable;
  private readonly pool: Pool;
  private readonly searches: CappedPool;

  /** @param onPosition told how far the replica is, whenever it has said so */
  constructor(
    url: string,
    { size, timeoutMs, capMs }: PoolSettings,
    private readonly onPosition: (position: WalPosition) => void,
  ) {
    const limitMs = Math.min(timeoutMs, MAX_ANSWER_MS);
    // Of a lost connection the next look at the replica tells.
    const onIdleError = () => undefined;
    this.pool = openPool({
      ...{ url, size, onIdleError },
      connectTimeoutMs: limitMs,
      statementTimeoutMs: limitMs,
      queryTimeoutMs: limitMs + ANSWER_GRACE_MS,
    });
    this.rows = readsOf(this.pool);
    this.searches = new CappedPool(url, capMs, size, onIdleError, { graceMs: ANSWER_GRACE_MS });
  }

  capped<Row extends QueryResultRow>(statement: PreparedStatement): Promise<CappedRows<Row>> {
    return this.searches.query<Row>(statement);
  }

  async position(): Promise<string> {
    const [row] = await this.rows.query<{ position: string }>(
      'SELECT pg_last_wal_replay_lsn()::text AS position',
    );
    if (!row) throw new Error('the replica gave no position');
    this.onPosition(readWalPosition(row.position));
    return row.position;
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.end(), this.searches.close()]);
  }
}

/** Each statement on a connection of its own, so that the end of its request can end it. */
function readsOf(pool: Pool): Queryable {
  const alone = async <Result>(read: (on: Queryable) => Promise<Result>): Promise<Result> => {
    const client = await pool.connect();
    let isBroken = true;
    try {
      const result = await withCancellation(client, () => read(queryableOf(client)));
      isBroken = false;
      return result;
    } catch (error) {
      isBroken = !(error instanceof RequestEnded);
      throw error;
    } finally {
      client.release(isBroken);
    }
  };
  return {
    query: (sql, parameters) => alone((on) => on.query(sql, parameters)),
    prepared: (statement) => alone((on) => on.prepared(statement)),
    kept: (sql, parameters) => alone((on) => on.prepared(keptAs(sql, parameters))),
  };
}
