import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deliveries that tell of their own account carry what they tell: it is no event of the feed. */
export class DeliverAccountEvents1766000265500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_delivery ADD COLUMN data jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM webhook_delivery WHERE data IS NOT NULL`);
    await runner.query('ALTER TABLE webhook_delivery DROP COLUMN data');
  }
}
