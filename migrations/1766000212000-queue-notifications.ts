import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Webhooks and mails of watches are work of the engine. Retries under way keep their time and attempts, which stand in
 * webhook_delivery. Processes of the previous release get no more leases; what they have under way may end.
 */
export class QueueNotifications1766000212000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TRIGGER webhook_leases_ended BEFORE UPDATE OF held_until ON webhook
        FOR EACH ROW EXECUTE FUNCTION keep_from_previous_release()`);
    // A mail that is noted or has failed releases its lease in the same statement.
    await runner.query(`
      CREATE TRIGGER watcher_leases_ended BEFORE UPDATE OF held_until ON watcher
        FOR EACH ROW WHEN (NEW.held_until IS NOT NULL) EXECUTE FUNCTION keep_from_previous_release()`);
    await runner.query(`
      INSERT INTO work (kind, key, lane, due_at, is_slow)
      SELECT 'webhook', webhook.id::text, account_id::text, greatest(next.at, held_until),
             failing_since IS NOT NULL OR is_slow
        FROM webhook CROSS JOIN LATERAL (SELECT due_at AS at FROM webhook_delivery
                                          WHERE webhook_id = webhook.id AND status = 'pending'
                                          ORDER BY due_at LIMIT 1) AS next`);
    await runner.query(`
      INSERT INTO work (kind, key, lane, due_at)
      SELECT 'watch-mail', account_id::text, account_id::text, held_until FROM watcher WHERE held_until > now()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER watcher_leases_ended ON watcher');
    await runner.query('DROP TRIGGER webhook_leases_ended ON webhook');
  }
}
