import type { Queryable } from '../database.js';
import type { CappedRows, PreparedStatement } from '../time-cap.js';
import type { QueryResultRow } from 'pg';

/** A server that a read can go to: the primary or a replica. */
export interface ReadServer extends Queryable {
  /** Runs a statement under the time cap of searches. */
  capped<Row extends QueryResultRow>(statement: PreparedStatement): Promise<CappedRows<Row>>;
  /** A place in the log behind everything that reads here have shown so far. */
  position(): Promise<string>;
}
