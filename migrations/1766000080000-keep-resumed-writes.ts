import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who let answers be written again after the guard had stopped them, when, and what it had stopped for. */
export class KeepResumedWrites1766000080000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE resumed_writes (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        stopped_at timestamptz NOT NULL,
        reason text NOT NULL,
        flips integer NOT NULL,
        resumed_at timestamptz NOT NULL,
        resumed_by text NOT NULL CHECK (length(resumed_by) BETWEEN 1 AND 100)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE resumed_writes');
  }
}
