import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A receiver that asks to be left alone is left alone by all deliveries, not only by the one it answered. */
export class LeaveBusyReceiversAlone1765000630000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook ADD COLUMN not_before timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook DROP COLUMN not_before');
  }
}
