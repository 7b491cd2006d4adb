import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Webhooks that are told only of what their account watches. */
export class WatchByWebhook1766000195100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook ADD COLUMN watched_only boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook DROP COLUMN watched_only');
  }
}
