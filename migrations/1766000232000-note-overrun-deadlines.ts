import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A run that had to be ended at its deadline is told of until the key succeeds again. */
export class NoteOverrunDeadlines1766000232000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE work ADD COLUMN overran_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE work DROP COLUMN overran_at');
  }
}
