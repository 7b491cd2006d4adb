import type { DataSource } from 'typeorm';
import { VERSION } from '../config/version.js';
import { adoptFormer } from './adopt-former.js';
import { ADVISORY_LOCKS } from './advisory-locks.js';
import { createDataSource, SQUASHED_MIGRATIONS } from './data-source.js';

/** How long another instance may migrate before this one gives up; a supervisor will start it again. */
const MAX_LOCK_WAIT = '15min';

/** One connection holds the lock, the other migrates. */
const CONNECTIONS = 2;

/**
 * Brings the schema up to date; safe to call from several processes at once. Uses connections of its own, for a migration
 * may take longer than a statement of the service may.
 *
 * @returns the names of the migrations that ran
 */
export async function migrate(url: string): Promise<string[]> {
  // A lost idle connection needs no handler: the next statement fails.
  const dataSource = createDataSource(url, CONNECTIONS, () => undefined);
  try {
    await dataSource.initialize();
    return await migrateAlone(dataSource);
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}

async function migrateAlone(dataSource: DataSource): Promise<string[]> {
  const runner = dataSource.createQueryRunner();
  try {
    // Held by a transaction of its own, beside the migrations: it goes with the connection, however this ends.
    await runner.startTransaction();
    await runner.query(`SELECT set_config('lock_timeout', $1, true)`, [MAX_LOCK_WAIT]);
    await runner.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.migration]);
    await adoptFormer(
      dataSource,
      SQUASHED_MIGRATIONS.map(({ name }) => name),
    );
    await refuseNewer(dataSource);
    const applied = await dataSource.runMigrations();
    await runner.commitTransaction();
    return applied.map((migration) => migration.name);
  } finally {
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
    await runner.release();
  }
}

/**
 * A schema that is ahead of this version may lack what it reads, and hold what it would overwrite. Instances that run already are
 * served by it (docs/OPERATIONS.md, "Upgrade"); none is started.
 */
async function refuseNewer(dataSource: DataSource): Promise<void> {
  const known = dataSource.migrations.map(({ constructor }) => Number(constructor.name.slice(-13)));
  const [list] = await dataSource.query<{ exists: boolean }[]>(
    `SELECT to_regclass('migration') IS NOT NULL AS exists`,
  );
  if (!list?.exists) return;
  const [newer] = await dataSource.query<{ name: string }[]>(
    'SELECT name FROM migration WHERE timestamp > $1 ORDER BY timestamp DESC LIMIT 1',
    [Math.max(...known)],
  );
  if (newer)
    throw new Error(
      `The database was migrated by a newer version (${newer.name}), which this one, ${VERSION}, does not know: start that version.`,
    );
}
