import type { DataSource } from 'typeorm';
import { ADVISORY_LOCKS } from './advisory-locks.js';

/** How long another instance may migrate before this one gives up; a supervisor will start it again. */
const LONGEST_WAIT = '15min';

/**
 * Brings the schema up to date; safe to call from several processes at once.
 *
 * @returns the names of the migrations that ran
 */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  const runner = dataSource.createQueryRunner();
  try {
    // Held by a transaction of its own, beside the migrations: it goes with the connection, however this ends.
    await runner.startTransaction();
    await runner.query(`SELECT set_config('lock_timeout', $1, true)`, [LONGEST_WAIT]);
    await runner.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.migration]);
    const applied = await dataSource.runMigrations();
    await runner.commitTransaction();
    return applied.map((migration) => migration.name);
  } finally {
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
    await runner.release();
  }
}
