import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the attempt of an ended order was found executed: its customer is notified once. */
export class NoteLateExecutions1766000267500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE registration_attempt ADD COLUMN executed_late_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE registration_attempt DROP COLUMN executed_late_at');
  }
}
