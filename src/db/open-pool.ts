import { Pool } from 'pg';
import { APPLICATION_NAME } from '../config/product.js';

const CONNECT_TIMEOUT_MS = 3_000;
const IDLE_TIMEOUT_MS = 30_000;

export interface PoolOptions {
  readonly url: string;
  /** The most connections at a time; idle ones are closed after half a minute. */
  readonly size: number;
  /** Connections that stay open when idle: a new session reads the catalogue and plans its statements first. */
  readonly kept?: number;
  /** The longest that the server may take for a statement, where it has a limit of its own. */
  readonly statementTimeoutMs?: number;
  /** A server that has not answered a statement by then is taken for gone. */
  readonly queryTimeoutMs: number;
  /** How long a statement waits for a free connection, or for a new one. */
  readonly connectTimeoutMs?: number;
  /** Told when an idle connection dies; the pool replaces it by itself. */
  readonly onIdleError: (error: Error) => void;
}

/**
 * Connections beside those of the data source, for work that needs sessions or a pool of its own. The caller ends
 * it.
 */
export function openPool({
  url,
  size,
  kept = 0,
  statementTimeoutMs,
  queryTimeoutMs,
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
  onIdleError,
}: PoolOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    application_name: APPLICATION_NAME,
    max: size,
    min: kept,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    query_timeout: queryTimeoutMs,
    ...(statementTimeoutMs && { statement_timeout: statementTimeoutMs }),
  });
  pool.on('error', onIdleError);
  // A lost connection tells its statement and then itself; unheard while it is lent out, that would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
