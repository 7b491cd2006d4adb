import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A record is counted without waiting for the disk: a commit took 0.40 ms, and takes 0.06 ms. A server that crashes may
 * forget the last second of counting, and no more.
 */
export class CountBudgetWithoutWaiting1765000515000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // For the transaction that counts, and for no other: the limiter's statements are its own, and its connections are
    // those of the pool.
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
    await runner.query('DROP TRIGGER commit_without_waiting ON record_budget');
    await runner.query('DROP FUNCTION commit_without_waiting()');
  }
}
