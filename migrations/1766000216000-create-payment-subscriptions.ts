import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A row for each subscription, so that an account has the best tier that any of them pays for. The latest applied event
 * of an account gives its first row; a subscription without one gets its row with its next event.
 */
export class CreatePaymentSubscriptions1766000216000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE payment_subscription (
        account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
        subscription text NOT NULL,
        -- The event of this state; the greater id decides between equal states of one second.
        event_id text NOT NULL,
        -- By the provider's clock, in whole seconds.
        happened_at timestamptz NOT NULL,
        is_ended boolean NOT NULL,
        tier text CHECK (tier IN ('member', 'starter', 'pro', 'firehose')),
        PRIMARY KEY (account_id, subscription)
      )`);
    await runner.query(`
      INSERT INTO payment_subscription (account_id, subscription, event_id, happened_at, is_ended, tier)
      SELECT DISTINCT ON (account.id) account.id, event.subscription, event.id, event.happened_at, false, account.tier
        FROM payment_event AS event JOIN account ON account.id = event.account_id
       WHERE event.outcome = 'applied' AND account.tier <> 'member'
       ORDER BY account.id, event.happened_at DESC, event.received_at DESC`);
    await runner.query('DROP INDEX payment_event_applied');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX payment_event_applied ON payment_event (account_id, happened_at DESC, received_at DESC)
        WHERE outcome = 'applied'`,
    );
    await runner.query('DROP TABLE payment_subscription');
  }
}
