import type { Config } from '../config/config.js';
import { createDataSource } from './data-source.js';
import { Database } from './database.js';
import { EmbeddedPostgres, type Log } from './embedded/embedded-postgres.js';
import { waitForServer } from './external-postgres.js';
import { migrate } from './migrate.js';

type Settings = Pick<Config['database'], 'url' | 'poolSize' | 'dataDir'> &
  Partial<Pick<Config['database'], 'directUrl'>>;

/** A database that is up, connected and migrated. */
export interface OpenDatabase {
  readonly database: Database;
  /** Ends the connections; an embedded server that nobody else uses is stopped. */
  close(): Promise<void>;
}

/**
 * Connects to DATABASE_URL, or to the embedded server when there is none, and brings the schema up to date. Used by the
 * service and by the command line alike; both may do it at the same time.
 *
 * @param options.timeoutMs the longest that a statement may take or wait for a connection; without it statements have no limit
 * @throws {Error} with a message for the operator
 */
export async function openDatabase(
  config: Settings,
  log: Log,
  { timeoutMs }: { timeoutMs?: number } = {},
): Promise<OpenDatabase> {
  const server = await openServer(config, log);
  const onIdleError = (error: Error): void => {
    log.warn(`A connection to PostgreSQL was lost: ${error.message}`);
  };
  // What may take its time needs a session that says so.
  const url = timeoutMs === undefined ? server.directUrl : server.url;
  const dataSource = createDataSource(url, config.poolSize, onIdleError, timeoutMs);
  const close = async () => {
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
