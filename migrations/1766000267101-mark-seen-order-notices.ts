import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A refusal that a person reads at once goes to the webhooks, and is not mailed as well. */
export class MarkSeenOrderNotices1766000267101 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE order_notice ADD COLUMN is_seen boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE order_notice DROP COLUMN is_seen');
  }
}
