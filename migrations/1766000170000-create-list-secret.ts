import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What cursors of web pages are signed with, the same for every instance, also where nothing is configured. */
export class CreateListSecret1766000170000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE list_secret (
        -- One row: a second one would be another secret.
        is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
        secret text NOT NULL
      )`);
    // Two random UUIDs hold 244 bits of PostgreSQL's strong source.
    await runner.query(
      `INSERT INTO list_secret (secret) VALUES (gen_random_uuid()::text || gen_random_uuid()::text)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE list_secret`);
  }
}
