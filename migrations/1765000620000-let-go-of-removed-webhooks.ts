import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A webhook goes at once, and its log by and by: as one statement, removing what an account can gather (20 webhooks, 30 days)
 * took longer than a statement may. Nor does a row of the log hold on to the webhook's, which a delivery to it changes all
 * the time.
 */
export class LetGoOfRemovedWebhooks1765000620000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_delivery DROP CONSTRAINT webhook_delivery_webhook_id_fkey');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DELETE FROM webhook_delivery WHERE NOT EXISTS (SELECT FROM webhook WHERE webhook.id = webhook_id)',
    );
    await runner.query(`
      ALTER TABLE webhook_delivery ADD CONSTRAINT webhook_delivery_webhook_id_fkey
        FOREIGN KEY (webhook_id) REFERENCES webhook (id) ON DELETE CASCADE`);
  }
}
