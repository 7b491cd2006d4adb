import type { QueryResultRow } from 'pg';
import type { Database, PoolUse } from '../database.js';
import type { CappedPool, CappedRows, PreparedStatement } from '../time-cap.js';
import { WRITTEN } from './primary-watch.js';
import type { ReadServer } from './read-server.js';

/** The primary as a server to read from. */
export class PrimaryReads implements ReadServer {
  constructor(
    private readonly database: Database,
    private readonly searches: CappedPool,
  ) {}

  query<Row extends QueryResultRow>(sql: string, parameters?: readonly unknown[]): Promise<Row[]> {
    return this.database.query<Row>(sql, parameters);
  }

  prepared<Row extends QueryResultRow>(statement: PreparedStatement): Promise<Row[]> {
    return this.database.prepared<Row>(statement);
  }

  capped<Row extends QueryResultRow>(statement: PreparedStatement): Promise<CappedRows<Row>> {
    return this.database.guard(() => this.searches.query<Row>(statement));
  }

  cappedLonger<Row extends QueryResultRow>(
    statement: PreparedStatement,
    longerMs: number,
  ): Promise<CappedRows<Row>> {
    return this.database.guard(() => this.searches.queryLonger<Row>(statement, longerMs));
  }

  async position(): Promise<string> {
    const [row] = await this.database.query<{ position: string }>(WRITTEN);
    if (!row) throw new Error('the primary gave no position');
    return row.position;
  }

  /** How busy the connections for searches are. */
  get searchUse(): PoolUse {
    return this.searches.use;
  }

  close(): Promise<void> {
    return this.searches.close();
  }
}
