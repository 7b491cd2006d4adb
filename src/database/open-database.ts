import type { Config } from '../config/config.js';
import { createDataSource } from './data-source.js';
import { Database } from './database.js';
import { EmbeddedPostgres, type Log } from './embedded/embedded-postgres.js';
import { waitForServer } from './external-postgres.js';
import { migrate } from './migrate.js';

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
  config: Omit<Config['database'], 'timeoutMs'>,
  log: Log,
  { timeoutMs }: { timeoutMs?: number } = {},
): Promise<OpenDatabase> {
  const server = await openServer(config, log);
  const onIdleError = (error: Error): void => {
    log.warn(`A connection to PostgreSQL was lost: ${error.message}`);
  };
  const dataSource = createDataSource(server.url, config.poolSize, onIdleError, timeoutMs);
  const close = async () => {
    if (dataSource.isInitialized) await dataSource.destroy();
    await server.close();
  };
  try {
    const applied = await migrate(server.url);
    if (applied.length > 0) log.log(`Migrated the database: ${applied.join(', ')}`);
    await dataSource.initialize();
  } catch (error) {
    await close();
    throw error;
  }
  return { database: new Database(dataSource), close };
}

interface Server {
  readonly url: string;
  close(): Promise<void>;
}

async function openServer(config: Omit<Config['database'], 'timeoutMs'>, log: Log): Promise<Server> {
  if (config.url === undefined) return EmbeddedPostgres.open(config.dataDir, log);
  await waitForServer(config.url, log);
  return { url: config.url, close: async () => undefined };
}
