import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { createDataSource } from '../../src/db/data-source.js';
import { Database } from '../../src/db/database.js';
import { openCluster } from '../../src/db/embedded/cluster.js';
import { ensureServer, serverUrl } from '../../src/db/embedded/server.js';
import { isAbsence, isSqlState } from '../../src/errors/database-failure.js';
import { migrate } from '../../src/db/migrate.js';

const TEMPLATE = 'bowerbird_template';
const TEMPLATE_LOCK = 99;

/** A database of a test file's own, migrated; cloned from a template in about 25 ms. */
export interface TestDatabase {
  readonly url: string;
  readonly database: Database;
  /** Ends the connections and drops the database. */
  close(): Promise<void>;
}

/** One connection to it, which every statement borrows: what a failure leaves behind, the next statement meets. */
export async function openOneConnection({ url }: Pick<TestDatabase, 'url'>): Promise<Database> {
  return new Database(await createDataSource(url, 1, () => undefined).initialize());
}

export async function createTestDatabase(): Promise<TestDatabase> {
  const url = await cloneTemplate();
  const dataSource = createDataSource(url, 5, () => undefined);
  await dataSource.initialize();
  return {
    url,
    database: new Database(dataSource),
    async close() {
      await dataSource.destroy();
      dropDatabase(url);
    },
  };
}

let template: Promise<void> | undefined;

/** A migrated database. @returns its URL */
export async function cloneTemplate(): Promise<string> {
  template ??= asAdmin(ensureTemplate);
  await template;
  return asAdmin(async (admin) => {
    const name = `test_${randomBytes(6).toString('hex')}`;
    // Copied as files: by way of the write-ahead log, as is usual, it costs the server twice the CPU time.
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY FILE_COPY`);
    return urlOf(name);
  });
}

/** An empty database without any schema. @returns its URL */
export async function createEmptyDatabase(): Promise<string> {
  return asAdmin(async (admin) => {
    const name = `test_${randomBytes(6).toString('hex')}`;
    await admin.query(`CREATE DATABASE ${name}`);
    return urlOf(name);
  });
}

/** The URL for reads: the run's replica (test/scale/on-replica.ts), if there is one. */
export function readingUrlOf(databaseUrl: string): string {
  const { TEST_REPLICA_URL } = process.env;
  if (!TEST_REPLICA_URL) return databaseUrl;
  const url = new URL(TEST_REPLICA_URL);
  url.pathname = new URL(databaseUrl).pathname;
  return url.href;
}

/** Nothing waits for it: it takes the server a tenth of a second to see that the connections have ended. */
export function dropDatabase(url: string): void {
  asDropper(async (admin) => {
    const name = new URL(url).pathname.slice(1);
    try {
      await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    } catch (error) {
      if (!isSqlState(error, INSUFFICIENT_PRIVILEGE)) throw error;
      // An autovacuum that has just come by is not ours to end; asked without FORCE it leaves by itself.
      await admin.query(`DROP DATABASE IF EXISTS ${name}`);
    }
  }).catch((error: Error) => {
    // At the end of a run of one file the server may be gone before.
    if (!isAbsence(error)) process.emitWarning(error);
  });
}

const INSUFFICIENT_PRIVILEGE = '42501';

async function ensureTemplate(admin: Client): Promise<void> {
  // Test files run in parallel processes; the first one builds the template, the others wait for it.
  await admin.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  try {
    const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [TEMPLATE]);
    if (rowCount === 0) await buildTemplate(admin);
  } finally {
    await admin.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  }
}

async function buildTemplate(admin: Client): Promise<void> {
  await admin.query(`CREATE DATABASE ${TEMPLATE}`);
  await migrate(await urlOf(TEMPLATE));
  // PostgreSQL files what a new connection knows of the catalogues, and the copies have that file as well.
  const last = new Client({ connectionString: await urlOf(TEMPLATE) });
  await last.connect();
  await last.end();
}

const asAdmin = keepConnection();
const asDropper = keepConnection();

/**
 * Kept from test to test: a connection costs the server as much as hundreds of statements.
 *
 * @returns runs one `work` after the other
 */
function keepConnection() {
  let connection: ReturnType<typeof connectAsAdmin> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const forget = () => (connection = undefined);
  return <Result>(work: (admin: Client) => Promise<Result>): Promise<Result> => {
    const done = last.then(async () => {
      connection ??= connectAsAdmin(forget);
      const { admin, socket } = await connection;
      socket.ref();
      try {
        return await work(admin);
      } finally {
        // Idle, it keeps no worker from ending.
        socket.unref();
      }
    });
    last = done.catch(() => undefined);
    return done;
  };
}

async function connectAsAdmin(onEnd: () => void) {
  const socket = new Socket();
  const admin = new Client({ connectionString: await urlOf('postgres'), stream: () => socket });
  admin.on('error', onEnd);
  await admin.connect();
  return { admin, socket };
}

/** Fast and unsafe: the data of this server are temporary. */
const TEST_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '256MB',
  // Its folder may lie in memory (global-setup.mjs).
  max_wal_size: '256MB',
  max_connections: 200,
  // Databases live for a second: nothing is to be cleaned, read ahead or replicated.
  autovacuum: 'off',
  bgwriter_lru_maxpages: 0,
  shared_preload_libraries: "''",
  io_method: 'sync',
  wal_level: 'minimal',
  max_wal_senders: 0,
  // To start workers for tables of a few rows, as a statement on many tables does, takes longer than to read them.
  max_parallel_workers_per_gather: 0,
};

let server: Promise<string> | undefined;

/** The URL of a database on the run's server, which the first test file of the run starts. */
async function urlOf(database: string): Promise<string> {
  server ??= findServer();
  const url = new URL(await server);
  url.pathname = `/${database}`;
  return url.href;
}

async function findServer(): Promise<string> {
  const { TEST_SERVER_URL, TEST_SERVER_DIR } = process.env;
  if (TEST_SERVER_URL) return TEST_SERVER_URL;
  if (!TEST_SERVER_DIR)
    throw new Error('Neither TEST_SERVER_URL nor TEST_SERVER_DIR is set: run the tests with npm test');
  const cluster = await openCluster(TEST_SERVER_DIR);
  const settings = {
    ...TEST_SETTINGS,
    // Half a million statements and 5,000 connections are made in a run: through a file, and without a password, each
    // costs both sides less.
    unix_socket_directories: cluster.home,
    hba_file: join(TEST_SERVER_DIR, 'hba'),
  };
  const url = new URL(serverUrl(cluster, (await ensureServer(cluster, { settings })).port));
  url.hostname = encodeURIComponent(cluster.home);
  return url.href;
}

/** How many statements on this database wait for a lock now. */
export async function countWaiting(database: Database): Promise<number> {
  const rows = await database.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows.length;
}

/** Runs `work` while the audit log takes no entry. */
export async function whileNothingIsNoted<Result>(
  database: Database,
  work: () => Promise<Result>,
): Promise<Result> {
  await database.query('ALTER TABLE audit_log ADD CONSTRAINT full_log CHECK (false) NOT VALID');
  try {
    return await work();
  } finally {
    await database.query('ALTER TABLE audit_log DROP CONSTRAINT full_log');
  }
}
