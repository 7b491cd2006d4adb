import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Re-checks of names on offer, by the hour: a change shows there sooner than in the sample. */
export class CountRechecks1766000260000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // 31 days are kept: 744 rows.
    await runner.query(`
      CREATE TABLE recheck_hour (
        hour timestamptz PRIMARY KEY,
        asked integer NOT NULL CHECK (asked >= 0),
        taken integer NOT NULL CHECK (taken >= 0),
        expected_taken double precision NOT NULL CHECK (expected_taken >= 0)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE recheck_hour');
  }
}
