import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counters of the record budgets, in the shape that rate-limiter-flexible reads and writes. */
export class CreateRecordBudget1765000050000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE record_budget (
        key varchar(255) PRIMARY KEY,
        points integer NOT NULL DEFAULT 0,
        -- Milliseconds since 1970.
        expire bigint
      )`);
    // Serves the purge of counters whose window is long past.
    await runner.query(`CREATE INDEX record_budget_expire ON record_budget (expire)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE record_budget`);
  }
}
