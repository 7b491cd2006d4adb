import type { DataSource } from 'typeorm';

/** Any number, the same in every instance: whoever holds it migrates, the others wait and find nothing to do. */
const MIGRATION_LOCK = 7_265_001;

/** Brings the schema up to date; safe to call from several processes at once. */
export async function migrate(dataSource: DataSource): Promise<void> {
  const runner = dataSource.createQueryRunner();
  await runner.connect();
  try {
    await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await dataSource.runMigrations();
  } finally {
    // The lock belongs to the session, so it must be given back before the connection returns to the pool.
    await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    await runner.release();
  }
}
