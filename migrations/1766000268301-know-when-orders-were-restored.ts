import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a restored database was compared: orders from before it may have been sent, and lack their attempts. */
export class KnowWhenOrdersWereRestored1766000268301 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE ordering_place ADD COLUMN restored_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE ordering_place DROP COLUMN restored_at');
  }
}
