import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { Client, Pool, type QueryResultRow } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import {
  DatabaseUnavailable,
  isAbsence,
  isSqlState,
  LEASE_LOST,
  noteDisk,
  unavailabilityIn,
} from '../errors/database-failure.js';
import { BoundedMap } from '../validation/caches.js';
import { hearTime } from './database-time.js';
import { runKept } from './kept-query.js';
import { currentFence, noteWrite, withCancellation } from './scope.js';
import { traced } from './traced.js';

export interface PreparedStatement {
  /** The same name must always mean the same text. Left out, the statement is not kept. */
  readonly name?: string | undefined;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Something that runs SQL: the pool, or one connection inside a transaction. Parameters are always bound. */
export interface Queryable {
  query<Row extends QueryResultRow>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /**
   * Runs a statement that each connection prepares once, for statements whose planning takes longer than their
   * execution.
   */
  prepared<Row extends QueryResultRow>(statement: PreparedStatement): Promise<Row[]>;
  /** The same under a name of its own, for a text that never changes. */
  kept<Row extends QueryResultRow>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

const POSTGRESQL = { 'db.system.name': 'postgresql' };

export interface PoolUse {
  readonly lent: number;
  /** Work that waits for one. */
  readonly wanted: number;
}

/**
 * The one door to PostgreSQL. Connection and migrations are TypeORM's; statements are plain SQL in the repositories.
 * A server that is away, or takes no writes, becomes DatabaseUnavailable; it is no fault of the statement.
 */
@Injectable()
export class Database implements Queryable {
  /** For connections of one's own; it holds the password. */
  readonly url: string;
  /**
   * The same for those on which a setting or a lock is to last: it never leads to a pool that hands them out by
   * transaction.
   */
  readonly directUrl: string;
  /** The data source's own, so that statements and migrations share connections. */
  readonly pool: Pool;

  /**
   * @param dataSource connected
   * @param directUrl where it is not the data source's own
   */
  constructor(
    readonly dataSource: DataSource,
    directUrl?: string,
  ) {
    const { options } = dataSource;
    if (options.type !== 'postgres' || options.url === undefined)
      throw new Error('data sources are made from a URL');
    const { master } = dataSource.driver as PostgresDriver as { readonly master: unknown };
    if (!(master instanceof Pool)) throw new TypeError('the data source is not connected');
    this.pool = master;
    this.url = options.url;
    this.directUrl = directUrl ?? options.url;
  }

  /**
   * Runs one statement on any connection. A write of {@link fenced} work gets a transaction, which begins with
   * the fence.
   *
   * @throws {DatabaseUnavailable}
   */
  async query<Row extends QueryResultRow>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return traced('query', POSTGRESQL, () => this.alone(sql, (on) => on.query<Row>(sql, parameters)));
  }

  /** The same with one that every connection prepares once. @throws {DatabaseUnavailable} */
  async prepared<Row extends QueryResultRow>(statement: PreparedStatement): Promise<Row[]> {
    return traced('query', POSTGRESQL, () => this.alone(statement.text, (on) => on.prepared<Row>(statement)));
  }

  /** @throws {DatabaseUnavailable} */
  kept<Row extends QueryResultRow>(sql: string, parameters?: readonly unknown[]): Promise<Row[]> {
    return this.prepared<Row>(keptAs(sql, parameters));
  }

  private alone<Result>(sql: string, run: (on: Queryable) => Promise<Result>): Promise<Result> {
    if (currentFence() && mayWrite(sql)) return this.transact((on) => new Closing(run(on)), undefined);
    return this.lend((client) => cancelledUnlessWriting(client, sql, () => run(queryableOf(client))));
  }

  /**
   * Reads on one connection, so that statements which are sent before the others are answered travel together.
   *
   * @throws {DatabaseUnavailable}
   */
  reads<Result>(read: (on: Queryable) => Promise<Result>): Promise<Result> {
    return traced('query', POSTGRESQL, () =>
      this.lend((client) =>
        // Pipelined statements must have ended before the connection is released.
        pipelined(client, () => withCancellation(client, () => read(queryableOf(client)))),
      ),
    );
  }

  /** Runs work that uses connections of its own. @throws {DatabaseUnavailable} when the server is away */
  guard<Result>(work: () => Promise<Result>): Promise<Result> {
    return translateAbsence(work);
  }

  /**
   * Runs `work` in one transaction on one connection; rolls back when it throws. Work that is {@link fenced}
   * begins with its fence.
   *
   * @param lockTimeoutMs the longest wait for a lock; it is set together with BEGIN, which saves a round trip
   * @throws {DatabaseUnavailable}
   */
  async transaction<Result>(
    work: (transaction: Queryable, client: Client) => Done<Result>,
    lockTimeoutMs?: number,
  ): Promise<Result> {
    return traced('transaction', POSTGRESQL, () => this.transact(work, lockTimeoutMs));
  }

  private transact<Result>(
    work: (transaction: Queryable, client: Client) => Done<Result>,
    lockTimeoutMs: number | undefined,
  ): Promise<Result> {
    noteWrite();
    return this.lend(async (client) => {
      const result = await inTransaction(client, work, lockTimeoutMs);
      noteDisk(null);
      return result;
    });
  }

  /** How many connections are lent at this moment, and how much work waits for one. */
  get use(): PoolUse {
    return useOf(this.pool);
  }

  /**
   * Lends one connection to `work`. Not to {@link fenced} work, whose writes no fence would precede.
   *
   * @throws {DatabaseUnavailable}
   */
  async withClient<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    if (currentFence()) throw new Error('fenced work writes in transactions');
    return this.lend(work);
  }

  private lend<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    return translateAbsence(async () => {
      const client = await this.pool.connect();
      if (!(client instanceof Client))
        throw new TypeError('the pool lends other connections than those of pg');
      let isLost = false;
      try {
        return await work(client);
      } catch (error) {
        // A connection that does not answer would be lent again.
        isLost = unavailabilityIn(error) !== null;
        throw error;
      } finally {
        client.release(isLost);
      }
    });
  }
}

/**
 * Runs `work` in one transaction of this connection, as {@link Database.transaction} does.
 *
 * @param commit what commits it
 */
export async function inTransaction<Result>(
  client: Client,
  work: (transaction: Queryable, client: Client) => Done<Result>,
  lockTimeoutMs: number | undefined,
  commit: () => Promise<unknown> = () => client.query('COMMIT'),
): Promise<Result> {
  return pipelined(client, async () => {
    const transaction = queryableOf(client);
    // They travel with the first statement, which fails behind a fence that does not hold.
    const opening = inOrder([
      client.query(
        lockTimeoutMs === undefined
          ? 'BEGIN'
          : `BEGIN; SET LOCAL lock_timeout = ${Math.round(lockTimeoutMs)}`,
      ),
      passFence(transaction),
    ]);
    opening.catch(() => undefined);
    try {
      const done = await work(transaction, client);
      await inOrder(done instanceof Closing ? [opening, done.result, commit()] : [opening]);
      if (done instanceof Closing) return await done.result;
      await commit();
      return done;
    } catch (error) {
      await opening;
      throw error;
    }
  });
}

/** Statements of `work` are sent before those ahead of them were answered, unless it waits for an answer. */
async function pipelined<Result>(client: Client, work: () => Promise<Result>): Promise<Result> {
  setPipelined(client, true);
  gather(client);
  try {
    return await work();
  } catch (error) {
    // It is answered last. A connection that is lost or does not answer is ended by its owner, and PostgreSQL rolls back
    // by itself.
    if (!isAbsence(error)) await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    setPipelined(client, false);
  }
}

/** What the work of a transaction returns. */
type Done<Result> = Promise<Result | Closing<Result>> | Closing<Result>;

/**
 * The last statements of a transaction, which were all sent: COMMIT travels with them. What would forbid it is raised by
 * PostgreSQL, as it comes too late here.
 */
export class Closing<Result> {
  constructor(readonly result: Promise<Result>) {
    result.catch(() => undefined);
  }
}

/** Runs a COPY, behind which nothing can be sent before it has ended. */
export async function unpipelined(client: Client, copy: () => Promise<void>): Promise<void> {
  const { pipeline } = client;
  await client.query('SELECT');
  setPipelined(client, false);
  await copy().finally(() => setPipelined(client, pipeline));
}

function setPipelined(client: Client, isPipelined: boolean): void {
  Reflect.set(client, 'pipeline', isPipelined);
}

/** Statements of a pipelined connection that are sent together travel in one write, which costs as much as a short one. */
function gather(client: unknown): void {
  if (!(client instanceof Client) || !client.pipeline) return;
  const { stream } = client.connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/**
 * Waits for statements of a transaction that were sent one behind the other.
 *
 * @throws what the first of them threw that failed: those behind it only say that the transaction is aborted
 */
export async function inOrder(sent: readonly Promise<unknown>[]): Promise<void> {
  void Promise.allSettled(sent);
  for (const statement of sent) await statement;
}

export function useOf({ totalCount, idleCount, waitingCount }: Pool): PoolUse {
  return { lent: totalCount - idleCount, wanted: waitingCount };
}

/** Statements on one connection, or on any of a pool. */
export function queryableOf(client: Pick<Client, 'query'> | Pick<Pool, 'query'>): Queryable {
  const prepared = async <Row extends QueryResultRow>({ name, text, values }: PreparedStatement) => {
    gather(client);
    if (name !== undefined && client instanceof Client) return runKept<Row>(client, { name, text, values });
    return (await client.query<Row>({ name, text, values: [...values] })).rows;
  };
  return {
    query: async <Row extends QueryResultRow>(sql: string, parameters: readonly unknown[] = []) => {
      gather(client);
      return (await client.query<Row>(sql, [...parameters])).rows;
    },
    prepared,
    kept: (sql, parameters) => prepared(keptAs(sql, parameters)),
  };
}

async function translateAbsence<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const kind = unavailabilityIn(error);
    if (kind) noteDisk(error);
    throw kind ? new DatabaseUnavailable(kind, error) : error;
  }
}

/** The lease has gone to another process, and with it the right to write. */
export class LeaseLostError extends Error {
  constructor() {
    super('the work has gone to another process');
  }
}

/** @throws {LeaseLostError} inside a transaction, which is then rolled back */
export async function passFence(transaction: Queryable, fence = currentFence()): Promise<void> {
  if (!fence) return;
  try {
    await transaction.kept(fence.sql, fence.parameters);
  } catch (error) {
    throw isSqlState(error, LEASE_LOST) ? new LeaseLostError() : error;
  }
}

/** A statement in doubt counts as a write: for a read the transaction only costs time. */
const READ = /^\s*(?:SELECT|WITH)\b/i;
const WRITE =
  /\b(?:INSERT|UPDATE|DELETE|MERGE|INTO|nextval|setval|set_config|gin_clean_pending_list|pg_notify|lo_\w+)\b/i;

function mayWrite(sql: string): boolean {
  return shapeOf(sql).writes;
}

/** Runs a statement outside of a transaction: a read of a request ends with it, a write never. */
export function cancelledUnlessWriting<Result>(
  client: Client,
  sql: string,
  statement: () => Promise<Result>,
): Promise<Result> {
  if (mayWrite(sql)) noteWrite();
  return withCancellation(client, statement);
}

/**
 * The clock of the dataset: PostgreSQL's, the one clock that all instances have in common. Tests hand in another
 * provider, so what happens to a name in a year is played in a second. Statements about the life of a name take
 * the time as a parameter and never ask clock_timestamp() themselves.
 */
@Injectable()
export class Clock {
  constructor(private readonly database: Database) {}

  /** @throws {DatabaseUnavailable} */
  async now(on: Queryable = this.database): Promise<Date> {
    const [row] = await on.kept<{ now: Date }>('SELECT clock_timestamp() AS now');
    if (!row) throw new Error('the clock gave no row');
    hearTime(row.now);
    return row.now;
  }
}

/**
 * How far the clock of this process is ahead of the database's, in milliseconds; half a round trip is uncertain.
 *
 * @throws {DatabaseUnavailable}
 */
export async function readClockSkewMs(database: Database): Promise<number> {
  const askedAt = Date.now();
  const now = await new Clock(database).now();
  return (askedAt + Date.now()) / 2 - now.getTime();
}

/** SQL: a time as milliseconds. */
export function clockMs(time: string): string {
  return `(extract(epoch FROM ${time}) * 1000)::float8`;
}

/** Words of ours, never of a caller, as a list for `IN`. */
export function sqlList(words: readonly string[]): string {
  return `('${words.join("', '")}')`;
}

/** Questions have some hundred shapes; a name that is not kept is computed again. */
const MAX_NAMES = 2_000;

interface Shape {
  readonly name: string;
  readonly writes: boolean;
}

/** By text. */
const SHAPES = new BoundedMap<string, Shape>(MAX_NAMES);

export function keptAs(text: string, values: readonly unknown[] = []): PreparedStatement {
  return { name: nameOf(text), text, values };
}

export function nameOf(text: string): string {
  return shapeOf(text).name;
}

function shapeOf(text: string): Shape {
  const known = SHAPES.get(text);
  if (known) return known;
  const name = `shape_${createHash('sha256').update(text).digest('base64url').slice(0, 16)}`;
  const shape = { name, writes: !READ.test(text) || WRITE.test(text) };
  SHAPES.set(text, shape);
  return shape;
}
