import { setTimeout as pause } from 'node:timers/promises';
import { Global, Inject, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Client } from 'pg';
import { Config } from '../config/config.js';
import { createDataSource } from './data-source.js';
import { Clock, Database } from './database.js';
import { EmbeddedPostgres, type Log } from './embedded/embedded-postgres.js';
import { migrate } from './migrate.js';
import { messageOf } from '../validation/unknown-values.js';
import { isAbsence } from '../errors/database-failure.js';

/** What the migrations are written for. */
const OLDEST_VERSION = 15;

const WAIT_MS = 30_000;
const RETRY_MS = 500;
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Waits until the server at DATABASE_URL answers, for a database that is started together with the service may be up
 * later. Anything but absence, such as a wrong password, does not get better by waiting.
 *
 * @throws {Error} with a message for the operator that holds neither user nor password
 */
async function waitForServer(url: string, log: Log): Promise<void> {
  const place = describe(url);
  const deadline = Date.now() + WAIT_MS;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const version = await askVersion(url);
      if (version >= OLDEST_VERSION) return;
      throw new Error(`it is version ${version}, and ${OLDEST_VERSION} is the oldest that will do.`);
    } catch (error) {
      if (!isAbsence(error))
        throw new Error(`DATABASE_URL: PostgreSQL at ${place} cannot be used: ${messageOf(error)}`, {
          cause: error,
        });
      if (Date.now() + RETRY_MS > deadline)
        throw new Error(`DATABASE_URL: no PostgreSQL answers at ${place}: ${messageOf(error)}`, {
          cause: error,
        });
      if (attempt === 1) log.log(`Waiting for PostgreSQL at ${place}`);
    }
    await pause(RETRY_MS);
  }
}

async function askVersion(url: string): Promise<number> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ version: number }>(
      `SELECT current_setting('server_version_num')::int / 10000 AS version`,
    );
    return rows[0]?.version ?? 0;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function describe(url: string): string {
  if (!URL.canParse(url)) return 'the given address';
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

type Settings = Pick<Config['database'], 'url' | 'poolSize' | 'dataDir'> &
  Partial<Pick<Config['database'], 'directUrl'>>;

/** A database that is up, connected and migrated. */
export interface OpenDatabase {
  readonly database: Database;
  /** Ends the connections; an embedded server without other users is stopped. */
  close(): Promise<void>;
}

/**
 * Connects to DATABASE_URL, or to the embedded server when there is none, and brings the schema up to date. Used
 * by the service and by the command line alike; both may do it at the same time.
 *
 * @param options.timeoutMs the longest that a statement may take or wait for a connection; without it statements
 * have no limit
 * @throws {Error} with a message for the operator
 */
export async function openDatabase(
  config: Settings,
  log: Log,
  { timeoutMs }: { timeoutMs?: number } = {},
): Promise<OpenDatabase> {
  const server = await openServer(config, log);
  let isClosing = false;
  const onIdleError = (error: Error): void => {
    // The pool does not wait for its connections to end: the embedded server may be faster.
    if (!isClosing) log.warn(`A connection to PostgreSQL was lost: ${error.message}`);
  };
  // Statements without a time limit need a session that keeps its settings.
  const url = timeoutMs === undefined ? server.directUrl : server.url;
  const dataSource = createDataSource(url, config.poolSize, onIdleError, timeoutMs);
  const close = async () => {
    isClosing = true;
    if (dataSource.isInitialized) await dataSource.destroy();
    await server.close();
  };
  try {
    const applied = await migrate(server.directUrl);
    if (applied.length > 0) log.log(`Migrated the database: ${applied.join(', ')}`);
    await dataSource.initialize();
  } catch (error) {
    await close();
    throw error;
  }
  return { database: new Database(dataSource, server.directUrl), close };
}

interface Server {
  readonly url: string;
  readonly directUrl: string;
  close(): Promise<void>;
}

async function openServer({ url, directUrl, dataDir }: Settings, log: Log): Promise<Server> {
  if (url === undefined) {
    const server = await EmbeddedPostgres.open(dataDir, log);
    return { url: server.url, directUrl: server.url, close: () => server.close() };
  }
  await waitForServer(url, log);
  return { url, directUrl: directUrl ?? url, close: async () => undefined };
}

/** The work itself, and a second one to cancel it. */
const CONNECTIONS = 2;

/**
 * Lends connections without a statement timeout. Those of the service stop statements after three seconds, which
 * is too short for an import.
 */
export function withoutStatementTimeout<Result>(
  database: Pick<Database, 'directUrl'>,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  return withStatementTimeout(database, undefined, work);
}

/** Lends connections with a statement timeout of their own. @param timeoutMs undefined: none */
export async function withStatementTimeout<Result>(
  { directUrl }: Pick<Database, 'directUrl'>,
  timeoutMs: number | undefined,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const dataSource = await createDataSource(directUrl, CONNECTIONS, () => undefined, timeoutMs).initialize();
  try {
    return await work(new Database(dataSource));
  } finally {
    await dataSource.destroy();
  }
}

const OPEN_DATABASE = Symbol('OpenDatabase');

/** Opens the database before anything else starts, and closes it when the last request has been answered. */
@Global()
@Module({
  providers: [
    {
      provide: OPEN_DATABASE,
      inject: [Config],
      useFactory: (config: Config) =>
        openDatabase(config.database, new Logger('Database'), { timeoutMs: config.database.timeoutMs }),
    },
    { provide: Database, inject: [OPEN_DATABASE], useFactory: (open: OpenDatabase) => open.database },
    Clock,
  ],
  exports: [Database, Clock],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(OPEN_DATABASE) private readonly open: OpenDatabase) {}

  /** Runs after the HTTP server has closed. */
  async onApplicationShutdown(): Promise<void> {
    await this.open.close();
  }
}
