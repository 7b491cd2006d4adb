import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';
import { ADVISORY_LOCKS, OLDEST_EPOCH_SERVED, SCHEMA_EPOCH, VERSION } from '../config/product.js';
import { createDataSource } from './data-source.js';

/** How long another instance may migrate before this one gives up, 15 minutes; a supervisor will start it again. */
const MAX_WAIT_MS = 900_000;
const RETRY_MS = 250;

/** One connection holds the lock, the other migrates. */
const CONNECTIONS = 2;

/** Of a release that migrates: what {@link SCHEMA_EPOCH} and {@link OLDEST_EPOCH_SERVED} say. */
interface Epochs {
  readonly epoch: number;
  readonly oldest: number;
}

/**
 * Brings the schema up to date; safe to call from several processes at once. Uses connections of its own, for a
 * migration may take longer than a statement of the service may.
 *
 * @returns the names of the migrations that ran
 */
export async function migrate(
  url: string,
  epochs: Epochs = { epoch: SCHEMA_EPOCH, oldest: OLDEST_EPOCH_SERVED },
): Promise<string[]> {
  // A lost idle connection needs no handler: the next statement fails.
  const dataSource = createDataSource(url, CONNECTIONS, () => undefined);
  try {
    await dataSource.initialize();
    return await migrateAlone(dataSource, epochs);
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}

async function migrateAlone(dataSource: DataSource, epochs: Epochs): Promise<string[]> {
  const runner = dataSource.createQueryRunner();
  try {
    // Held by a transaction of its own, beside the migrations: it goes with the connection, however this ends.
    await runner.startTransaction();
    await waitForTurn(runner);
    await refuseOtherVersions(dataSource, runner.manager);
    // The second connection is for changes, and few starts have any.
    const isUpToDate =
      isRaised(await readGate(runner.manager), epochs) && !(await hasPending(dataSource, runner.manager));
    if (isUpToDate) return [];
    // Before the first change, so that no release meets a schema that it does not know.
    await raiseGate(dataSource, epochs);
    const applied = await dataSource.runMigrations();
    await raiseGate(dataSource, epochs);
    await runner.commitTransaction();
    return applied.map((migration) => migration.name);
  } finally {
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
    await runner.release();
  }
}

/**
 * Polls: a statement that waited for the lock would block an index that the holder builds CONCURRENTLY, and
 * neither would end. Without parameters, because a statement with parameters leaves a portal open whose snapshot
 * blocks that index too.
 */
async function waitForTurn(runner: QueryRunner): Promise<void> {
  const deadline = Date.now() + MAX_WAIT_MS;
  for (;;) {
    const [turn] = await runner.manager.query<{ mine: boolean }[]>(
      `SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCKS.migration}) AS mine`,
    );
    if (turn?.mine) return;
    if (Date.now() > deadline)
      throw new Error('Another instance has been migrating the database for 15 minutes; try again later.');
    await pause(RETRY_MS);
  }
}

/** Where a statement runs: any connection of the data source, or that of one runner. */
type Queries = Pick<DataSource, 'query'>;

async function hasPending({ migrations }: DataSource, on: Queries): Promise<boolean> {
  const done = await on.query<{ name: string }[]>('SELECT name FROM migration');
  const names = new Set(done.map(({ name }) => name));
  return migrations.some(({ constructor }) => !names.has(constructor.name));
}

/** The first migration of today's list. Version 1.0.0 began with seventeen others, which 1.1.0 replaced. */
const FIRST_MIGRATION_AT = 1_765_900_000_000;

/**
 * A newer schema may lack what this version reads, and hold what it would overwrite, unless its release says that this
 * version still works on it (docs/operations/upgrade.md).
 */
async function refuseOtherVersions({ migrations }: DataSource, on: Queries): Promise<void> {
  const [list] = await on.query<{ exists: boolean }[]>(
    `SELECT to_regclass('migration') IS NOT NULL AS exists`,
  );
  if (!list?.exists) return;
  const [older] = await on.query<{ name: string }[]>(
    'SELECT name FROM migration WHERE timestamp < $1 ORDER BY timestamp DESC LIMIT 1',
    [FIRST_MIGRATION_AT],
  );
  if (older)
    throw new Error(
      `The database is from version 1.0.0 (its last migration is ${older.name}), which this version cannot ` +
        'upgrade. Nothing was changed. Start version 1.1.0 on it once, which ends with the migration ' +
        'CountOfferMoves1766000200000, then start this version.',
    );
  const known = migrations.map(({ constructor }) => Number(constructor.name.slice(-13)));
  const [newer] = await on.query<{ name: string }[]>(
    'SELECT name FROM migration WHERE timestamp > $1 ORDER BY timestamp DESC LIMIT 1',
    [Math.max(...known)],
  );
  if (newer && !(await servesThisVersion(on)))
    throw new Error(
      `The database was migrated by a newer version (${newer.name}), which this one, ${VERSION}, does not ` +
        'know: start that version.',
    );
}

/** Has the database refuse the releases that do not work on this one's schema. */
async function raiseGate(on: Queries, { epoch, oldest }: Epochs): Promise<void> {
  const gate = await readGate(on);
  // A database that takes no writes needs none either.
  if (!gate || isRaised(gate, { epoch, oldest })) return;
  await on.query('UPDATE schema_epoch SET epoch = $1, oldest = greatest(oldest, $2) WHERE epoch <= $1', [
    epoch,
    oldest,
  ]);
}

function isRaised(gate: Epochs | null, { epoch, oldest }: Epochs): boolean {
  return gate !== null && (gate.epoch > epoch || (gate.epoch === epoch && gate.oldest >= oldest));
}

async function readGate(on: Queries): Promise<Epochs | null> {
  const [table] = await on.query<{ exists: boolean }[]>(
    `SELECT to_regclass('schema_epoch') IS NOT NULL AS exists`,
  );
  if (!table?.exists) return null;
  const [gate] = await on.query<Epochs[]>('SELECT epoch, oldest FROM schema_epoch');
  return gate ?? null;
}

async function servesThisVersion(on: Queries): Promise<boolean> {
  const gate = await readGate(on);
  return gate !== null && gate.epoch > SCHEMA_EPOCH && gate.oldest <= SCHEMA_EPOCH;
}
