import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a delivery looks like is settled when it is made; and slow receivers are known as such. */
export class SettleWebhookDeliveries1765000610000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Whether data is a list: a retry says what the first attempt said, whatever batch_size is by then.
    await runner.query('ALTER TABLE webhook_delivery ADD COLUMN is_batch boolean NOT NULL DEFAULT false');
    await runner.query('UPDATE webhook_delivery SET is_batch = true WHERE cardinality(events) > 1');
    // Whether its receiver took its time when it was last asked.
    await runner.query('ALTER TABLE webhook ADD COLUMN is_slow boolean NOT NULL DEFAULT false');
    // Those that were given up are few, and looked for; those that wait have an index of their own.
    await runner.query(
      `CREATE INDEX webhook_delivery_failed ON webhook_delivery (webhook_id, created_at, id) WHERE status = 'failed'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX webhook_delivery_failed');
    await runner.query('ALTER TABLE webhook DROP COLUMN is_slow');
    await runner.query('ALTER TABLE webhook_delivery DROP COLUMN is_batch');
  }
}
