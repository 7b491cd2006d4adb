import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Attempts that ended without their name are asked about for some days: a registrar may execute one later. */
export class FindLateExecutions1766000266954 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX registration_attempt_without ON registration_attempt (registrar, ended_at)
        WHERE ended_as IN ('failed', 'lost') AND asks > 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX registration_attempt_without');
  }
}
