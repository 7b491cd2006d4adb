import { setTimeout as pause } from 'node:timers/promises';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { ADVISORY_LOCKS, APPLICATION_NAME } from '../../../config/product.js';
import {
  clockMs,
  type Database,
  inTransaction,
  unpipelined,
  type Queryable,
  queryableOf,
} from '../../../db/database.js';
import { DatabaseUnavailable, isSaidByServer, isSqlState } from '../../../errors/database-failure.js';
import { ImportError, UncertainImportError } from '../reading/import-error.js';

/** For another import that does not move. */
const MAX_WAIT_MS = 15 * 60_000;
const LOOK_EVERY_MS = 250;

/**
 * The one connection of an import: its temporary tables, its transactions, and the lock that keeps a second import
 * waiting. All of it goes with the connection, however the import ends.
 */
export class ImportSession {
  /** For temporary tables and for reading; what changes the dataset takes a transaction. */
  readonly statements: Queryable;
  /** When the last transaction was over, in ms by the server's clock. */
  committedAtMs = 0;
  private isCommitting = false;
  /** The statements of a batch, sent before COMMIT. */
  private writing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: Client,
    private readonly database: Database,
    readonly signal: AbortSignal | undefined,
  ) {
    const { query, prepared, kept } = queryableOf(client);
    this.statements = {
      query: (sql, parameters) => this.run(() => query(sql, parameters)),
      prepared: (statement) => this.run(() => prepared(statement)),
      kept: (sql, parameters) => this.run(() => kept(sql, parameters)),
    };
  }

  /** @param rows lines of COPY text for the statement */
  async copy(statement: string, rows: AsyncIterable<string>): Promise<void> {
    const copy = () => pipeline(rows, this.client.query(copyFrom(statement)), { signal: this.signal });
    await this.run(() => unpipelined(this.client, copy));
  }

  /** As {@link Database.transaction}. @throws {UncertainImportError} when the outcome of the commit is unknown */
  async transaction<Result>(
    work: (transaction: Queryable) => Promise<Result>,
    lockTimeoutMs = 0,
  ): Promise<Result> {
    const begun = async (transaction: Queryable) => {
      const result = await work(transaction);
      this.isCommitting = true;
      return result;
    };
    try {
      return await this.run(() => inTransaction(this.client, begun, lockTimeoutMs, () => this.commit()));
    } catch (error) {
      const refusal = await this.writing.then(
        () => null,
        (reason: unknown) => reason,
      );
      // Behind a statement that the server has refused, or ended with the session, COMMIT writes nothing.
      const isOpen = this.isCommitting && !isSaidByServer(refusal);
      const isUncertain = isOpen && error instanceof DatabaseUnavailable && error.kind === 'away';
      throw isUncertain ? new UncertainImportError(error) : error;
    } finally {
      this.isCommitting = false;
      this.writing = Promise.resolve();
    }
  }

  /**
   * A transaction whose COMMIT is sent together with the statements of `write`: behind one that fails it rolls back.
   *
   * @param write sends all its statements before it waits for the first
   */
  async batch<Found, Written>(
    find: (transaction: Queryable) => Promise<Found>,
    write: (transaction: Queryable, found: Found) => Promise<Written>,
    lockTimeoutMs: number,
  ): Promise<{ found: Found; written: Written }> {
    const { found, writing } = await this.transaction(async (transaction) => {
      const found = await find(transaction);
      const writing = write(transaction, found);
      // What it throws is thrown below.
      writing.catch(() => undefined);
      this.writing = writing;
      return { found, writing: () => writing };
    }, lockTimeoutMs);
    return { found, written: await this.run(writing) };
  }

  /** Writes the server's log to disk as far as it is, also that of an open transaction. COMMIT then has less to write. */
  async flushLog(): Promise<void> {
    // By the commit of another connection: within a transaction only PostgreSQL 17 can. Without it COMMIT takes longer.
    await this.database.query(`SELECT pg_logical_emit_message(true, 'import', '')`).catch(() => undefined);
  }

  private async commit(): Promise<void> {
    const [, { rows }] = await Promise.all([
      this.client.query('COMMIT'),
      this.client.query<{ now: number }>(`SELECT ${clockMs('clock_timestamp()')} AS now`),
    ]);
    this.committedAtMs = rows[0]?.now ?? 0;
  }

  /** @throws {DatabaseUnavailable}, or the reason of the signal once it is aborted */
  private async run<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await this.database.guard(work);
    } catch (error) {
      this.signal?.throwIfAborted();
      throw error;
    }
  }
}

/**
 * Lends an import its connection. A second import waits here for the first.
 *
 * @param signal ends what the connection does
 */
export async function withImportSession<Result>(
  database: Database,
  signal: AbortSignal | undefined,
  onStep: (step: string) => void,
  work: (session: ImportSession) => Promise<Result>,
): Promise<Result> {
  const client = new Client({
    connectionString: database.directUrl,
    application_name: `${APPLICATION_NAME} import`,
  });
  // The caller of a statement gets the error; nothing else needs it.
  client.on('error', () => undefined);
  const session = new ImportSession(client, database, signal);
  try {
    await database.guard(() => client.connect());
    // A list that comes slowly, over a pipe say, and a build that takes its time are no reason to give up. Index builds
    // of ten million rows take half as long again with 64 MB. Grams that a batch files itself, in a list that has grown
    // too long, would keep its rows locked meanwhile. With PostgreSQL's defaults for the last two a batch of hundreds
    // would read the whole dataset, and be compiled first.
    await session.statements.query(
      `SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET maintenance_work_mem = '512MB';
       SET work_mem = '64MB'; SET gin_pending_list_limit = '64MB'; SET random_page_cost = 1.1; SET jit = off`,
    );
    await noticeLostClient(session.statements);
    const stopListening = await cancelOnAbort(database, session.statements, signal);
    try {
      await waitForTurn(session.statements, signal, onStep);
      return await work(session);
    } finally {
      await stopListening();
    }
  } finally {
    await client.end().catch(() => undefined);
  }
}

// A statement that waited for the lock would keep VACUUM and an index that is built CONCURRENTLY waiting as well.
async function waitForTurn(
  connection: Queryable,
  signal: AbortSignal | undefined,
  onStep: (step: string) => void,
): Promise<void> {
  let movedAt: number | null = null;
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    const [turn] = await connection.query<{ mine: boolean; moved: number | null }>(
      `SELECT pg_try_advisory_lock($1) AS mine, (SELECT extract(epoch FROM max(touched_at))::float8 FROM import_run) AS moved`,
      [ADVISORY_LOCKS.import],
    );
    if (turn?.mine) return;
    if (turn && turn.moved !== movedAt) [movedAt, waitedMs] = [turn.moved, 0];
    if (waitedMs >= MAX_WAIT_MS)
      throw new ImportError('Another import has not moved for 15 minutes; try again later.');
    onStep('waiting for another import to finish');
    await pause(LOOK_EVERY_MS);
    signal?.throwIfAborted();
  }
}

// Without it the server of a killed importer would go on building indexes, and holding locks, until it has an answer to
// give. Windows servers have no such check and refuse the setting, which is no reason not to import.
async function noticeLostClient(connection: Queryable): Promise<void> {
  await connection.query(`SET client_connection_check_interval = '1s'`).catch((error: unknown) => {
    if (!isSqlState(error, INVALID_PARAMETER_VALUE)) throw error;
  });
}

const INVALID_PARAMETER_VALUE = '22023';

/**
 * Cancels the connection's current statement when the signal aborts. Breaking the connection would not stop it. It is
 * asked again and again, as a request that arrives between two statements stops nothing.
 *
 * @returns stops listening and waits for a cancel request on its way
 */
async function cancelOnAbort(
  database: Database,
  connection: Queryable,
  signal: AbortSignal | undefined,
): Promise<() => Promise<void>> {
  const [backend] = await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  let timer: NodeJS.Timeout | undefined;
  let onItsWay: Promise<unknown> = Promise.resolve();
  const cancel = () => {
    // A server that is not there to be asked has ended the transaction already.
    onItsWay = database.query('SELECT pg_cancel_backend($1)', [backend?.pid]).catch(() => undefined);
    timer = setTimeout(cancel, CANCEL_AGAIN_MS);
  };
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  return async () => {
    signal?.removeEventListener('abort', cancel);
    clearTimeout(timer);
    await onItsWay;
  };
}

const CANCEL_AGAIN_MS = 500;
