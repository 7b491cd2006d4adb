import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When an import last went on, so that one that ended early is known and does not stay for ever. */
export class DateImportRuns1766000255000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE import_run ADD COLUMN touched_at timestamptz NOT NULL DEFAULT clock_timestamp()',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE import_run DROP COLUMN touched_at');
  }
}
