import type { DataSource } from 'typeorm';
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
    const applied = await dataSource.runMigrations();
    await runner.commitTransaction();
    return applied.map((migration) => migration.name);
  } finally {
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
    await runner.release();
  }
}
