import { Injectable } from '@nestjs/common';
import { AsyncLocalStorage } from 'node:async_hooks';
import { Client, type QueryResultRow } from 'pg';
import type { DataSource } from 'typeorm';
import { traced } from './traced.js';
import { DatabaseUnavailable, isAbsence, unavailabilityIn } from '../errors/database-failure.js';
import type { PreparedStatement } from './time-cap.js';

/** Something that runs SQL: the pool, or one connection inside a transaction. Parameters are always bound. */
export interface Queryable {
  query<Row extends QueryResultRow>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Runs a statement that each connection prepares once: for those whose planning takes longer than their work. */
  prepared<Row extends QueryResultRow>(statement: PreparedStatement): Promise<Row[]>;
}

const POSTGRESQL = { 'db.system.name': 'postgresql' };

/** How busy the connections of a pool are. */
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
  /** The same for those on which a setting or a lock is to last: it never leads to a pool that hands them out by transaction. */
  readonly directUrl: string;
  private readonly counted = { lent: 0, wanted: 0 };

  /**
   * @param dataSource also for libraries that take one and bring their own statements
   * @param directUrl where it is not the data source's own
   */
  constructor(
    readonly dataSource: DataSource,
    directUrl?: string,
  ) {
    const { options } = dataSource;
    if (options.type !== 'postgres' || options.url === undefined)
      throw new Error('data sources are made from a URL');
    this.url = options.url;
    this.directUrl = directUrl ?? options.url;
  }

  /** Runs one statement on any connection. @throws {DatabaseUnavailable} */
  async query<Row extends QueryResultRow>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return traced('query', POSTGRESQL, () =>
      this.withClient((client) => queryableOf(client).query<Row>(sql, parameters)),
    );
  }

  /** The same with one that every connection prepares once. @throws {DatabaseUnavailable} */
  async prepared<Row extends QueryResultRow>(statement: PreparedStatement): Promise<Row[]> {
    return traced('query', POSTGRESQL, () =>
      this.withClient((client) => queryableOf(client).prepared<Row>(statement)),
    );
  }

  /** Runs work that uses connections of its own. @throws {DatabaseUnavailable} when the server is away */
  guard<Result>(work: () => Promise<Result>): Promise<Result> {
    return translateAbsence(work);
  }

  /**
   * Runs `work` in one transaction on one connection; rolls back when it throws. Work that is {@link fenced} begins with its
   * fence.
   *
   * @param lockTimeoutMs the longest wait for a lock, which is told with the beginning: a round trip is a twentieth of a small write
   * @throws {DatabaseUnavailable}
   */
  async transaction<Result>(
    work: (transaction: Queryable, client: Client) => Promise<Result>,
    lockTimeoutMs?: number,
  ): Promise<Result> {
    return traced('transaction', POSTGRESQL, () => this.transact(work, lockTimeoutMs));
  }

  private transact<Result>(
    work: (transaction: Queryable, client: Client) => Promise<Result>,
    lockTimeoutMs: number | undefined,
  ): Promise<Result> {
    return this.withClient(async (client) => {
      await client.query(
        lockTimeoutMs === undefined
          ? 'BEGIN'
          : `BEGIN; SET LOCAL lock_timeout = ${Math.round(lockTimeoutMs)}`,
      );
      try {
        const transaction = queryableOf(client);
        await passFence(transaction);
        const result = await work(transaction, client);
        await client.query('COMMIT');
        return result;
      } catch (error) {
        // A connection that is lost or does not answer is ended by withClient, and PostgreSQL rolls back by itself.
        if (!isAbsence(error)) await client.query('ROLLBACK').catch(() => undefined);
        throw error;
      }
    });
  }

  /** How many connections are lent at this moment, and how much work waits for one. */
  get use(): PoolUse {
    return { ...this.counted };
  }

  /** Lends one connection to `work`. @throws {DatabaseUnavailable} */
  async withClient<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    return translateAbsence(async () => {
      const runner = this.dataSource.createQueryRunner();
      this.counted.wanted += 1;
      const client: unknown = await runner.connect().finally(() => (this.counted.wanted -= 1));
      if (!(client instanceof Client))
        throw new TypeError('TypeORM lends other connections than those of pg');
      this.counted.lent += 1;
      try {
        return await work(client);
      } catch (error) {
        // One that does not answer would be lent to the next: what is ended, the pool replaces.
        if (unavailabilityIn(error)) client.end().catch(() => undefined);
        throw error;
      } finally {
        this.counted.lent -= 1;
        await runner.release();
      }
    });
  }
}

/** Statements on one connection, for who has one of its own. */
export function queryableOf(client: Client): Queryable {
  return {
    query: async <Row extends QueryResultRow>(sql: string, parameters: readonly unknown[] = []) =>
      (await client.query<Row>(sql, [...parameters])).rows,
    prepared: async <Row extends QueryResultRow>({ values, ...statement }: PreparedStatement) =>
      (await client.query<Row>({ ...statement, values: [...values] })).rows,
  };
}

async function translateAbsence<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const kind = unavailabilityIn(error);
    throw kind ? new DatabaseUnavailable(kind, error) : error;
  }
}

/**
 * Makes sure, inside a transaction and until it ends, that whoever writes is still the one who may.
 *
 * @throws when it is not; the transaction is rolled back
 */
export type Fence = (transaction: Queryable) => Promise<void>;

const fences = new AsyncLocalStorage<Fence>();

/**
 * Runs work every transaction of which begins with the fence, however deep in the call it is begun. A process that stood
 * still for longer than its lease would otherwise go on writing beside its successor.
 */
export function fenced<Result>(fence: Fence, work: () => Promise<Result>): Promise<Result> {
  return fences.run(fence, work);
}

/**
 * Runs work without the fence of whoever calls: what has a lock of its own, may wait long, and does no harm when it is done twice.
 * A fence held for so long would keep all other work waiting.
 */
export function unfenced<Result>(work: () => Promise<Result>): Promise<Result> {
  return fences.exit(work);
}

/** The fence of the work that calls, if it has one. */
async function passFence(transaction: Queryable): Promise<void> {
  await fences.getStore()?.(transaction);
}
