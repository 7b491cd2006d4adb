import { Injectable } from '@nestjs/common';
import { Client, type QueryResultRow } from 'pg';
import type { DataSource } from 'typeorm';
import { DatabaseUnavailable, type Unavailability } from './database-unavailable.js';
import type { PreparedStatement } from './time-cap.js';
import { failuresIn } from '../validation/thrown.js';
import { passFence } from './fence.js';
import { isObject } from '../validation/is-object.js';

/** Something that runs SQL: the pool, or one connection inside a transaction. Parameters are always bound. */
export interface Queryable {
  query<Row extends QueryResultRow>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

/**
 * The one door to PostgreSQL. Connection and migrations are TypeORM's; statements are plain SQL in the repositories.
 * A server that is away, or takes no writes, becomes DatabaseUnavailable; it is no fault of the statement.
 */
@Injectable()
export class Database implements Queryable {
  /** @param dataSource also for libraries that take one and bring their own statements */
  constructor(readonly dataSource: DataSource) {}

  /** For connections of one's own; it holds the password. */
  get url(): string {
    const { options } = this.dataSource;
    if (options.type !== 'postgres' || options.url === undefined)
      throw new Error('data sources are made from a URL');
    return options.url;
  }

  /** Runs one statement on any connection. @throws {DatabaseUnavailable} */
  async query<Row extends QueryResultRow>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return this.withClient((client) => queryableOf(client).query<Row>(sql, parameters));
  }

  /**
   * Runs one statement that every connection prepares once: for those whose planning takes longer than their work.
   *
   * @throws {DatabaseUnavailable}
   */
  async prepared<Row extends QueryResultRow>(statement: PreparedStatement): Promise<Row[]> {
    const { values, ...text } = statement;
    return this.withClient(
      async (client) => (await client.query<Row>({ ...text, values: [...values] })).rows,
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
   * @throws {DatabaseUnavailable}
   */
  async transaction<Result>(
    work: (transaction: Queryable, client: Client) => Promise<Result>,
  ): Promise<Result> {
    return this.withClient(async (client) => {
      await client.query('BEGIN');
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

  /** Lends one connection to `work`. @throws {DatabaseUnavailable} */
  async withClient<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    return translateAbsence(async () => {
      const runner = this.dataSource.createQueryRunner();
      const client: unknown = await runner.connect();
      if (!(client instanceof Client))
        throw new TypeError('TypeORM lends other connections than those of pg');
      try {
        return await work(client);
      } catch (error) {
        // One that does not answer would be lent to the next: what is ended, the pool replaces.
        if (unavailabilityIn(error)) client.end().catch(() => undefined);
        throw error;
      } finally {
        await runner.release();
      }
    });
  }
}

function queryableOf(client: Client): Queryable {
  return {
    query: async <Row extends QueryResultRow>(sql: string, parameters: readonly unknown[] = []) =>
      (await client.query<Row>(sql, [...parameters])).rows,
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

interface Signs {
  readonly codes: RegExp;
  /** node-postgres reports some without a code. */
  readonly messages: readonly string[];
}

// Class 08: connection exceptions; 57P01 to 57P03: shut down, crashed, starting.
const GONE: Signs = {
  codes: /^(08...|57P0[123]|ECONN\w+|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/,
  messages: ['Connection terminated', 'Client has encountered a connection error and is not queryable'],
};
// 53300: too many connections; 57014: the statement was ended by the session's time limit (reads with a cap of their own handle
// that before it comes here).
const STUCK: Signs = {
  codes: /^(57014|53300)$/,
  messages: ['timeout exceeded when trying to connect', 'timeout expired', 'Query read timeout'],
};

/** Whether the error says that the server is away or does not answer in time, as opposed to a statement that is wrong. */
export function isAbsence(error: unknown): boolean {
  return isGone(error) || hasSign(error, STUCK);
}

/** Whether the connection was refused or lost: nobody else has that server either. */
export function isGone(error: unknown): boolean {
  return hasSign(error, GONE);
}

function hasSign(thrown: unknown, signs: Signs): boolean {
  return failuresIn(thrown).some((error) => isSign(error, signs));
}

function isSign(error: unknown, signs: Signs): boolean {
  if (!isObject(error)) return false;
  if ('code' in error && typeof error.code === 'string' && signs.codes.test(error.code)) return true;
  const message = 'message' in error ? String(error.message) : '';
  return signs.messages.some((text) => message.includes(text));
}

// The server is there and takes no writes, which is no absence: neither does anybody wait for it to start, nor does memory
// count in its place. 25006: it may only be read, as the old one after a failover; 53100: its disk is full; 53200: it is out of
// memory.
const REFUSING: Signs = { codes: /^(25006|53[12]00)$/, messages: [] };

function unavailabilityIn(error: unknown): Unavailability | null {
  // Work that was guarded inside guarded work has it said already.
  if (error instanceof DatabaseUnavailable) return null;
  if (isAbsence(error)) return 'away';
  return hasSign(error, REFUSING) ? 'refusing' : null;
}
