import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Operators who are signed in to the pages at /ops; of the token only its hash. */
export class OperatorSessions1766000246000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE operator_session (
        token_hash bytea PRIMARY KEY CHECK (length(token_hash) = 32),
        operator text NOT NULL,
        key_hash text NOT NULL,
        ends_at timestamptz NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE operator_session');
  }
}
