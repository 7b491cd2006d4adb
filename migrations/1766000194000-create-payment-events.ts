import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a payment provider has told of subscriptions: each event is taken once. */
export class CreatePaymentEvents1766000194000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE payment_event (
        id text PRIMARY KEY CHECK (length(id) <= 255),
        subscription text NOT NULL,
        account_id uuid NOT NULL,
        -- By the provider's clock, in whole seconds.
        happened_at timestamptz NOT NULL,
        received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        outcome text NOT NULL CHECK (outcome IN ('applied', 'outdated', 'no_account', 'other_subscription'))
      )`);
    // What set the tier of an account last.
    await runner.query(
      `CREATE INDEX payment_event_applied ON payment_event (account_id, happened_at DESC, received_at DESC) WHERE outcome = 'applied'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE payment_event`);
  }
}
