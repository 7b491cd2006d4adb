import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Top-ups by card, and what the card provider says of their payments later. */
export class TakeCards1766000266500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE top_up (
        id uuid PRIMARY KEY,
        -- Without a foreign key, as in the ledger: what was paid remains when the account is removed.
        account_id uuid NOT NULL,
        idempotency_key text NOT NULL,
        cents bigint NOT NULL CHECK (cents > 0),
        made_at timestamptz NOT NULL,
        -- The provider's page, and until when it takes the payment.
        checkout_url text,
        ends_at timestamptz NOT NULL,
        paid_at timestamptz,
        -- Until then it cannot be spent.
        available_at timestamptz,
        UNIQUE (account_id, idempotency_key),
        CHECK ((paid_at IS NULL) = (available_at IS NULL))
      )`);
    // The caps and the list of an account.
    await runner.query('CREATE INDEX top_up_account ON top_up (account_id, made_at DESC)');
    await runner.query(`
      CREATE TABLE card_payment (
        -- The provider's.
        id text PRIMARY KEY,
        -- Null until an event says that it is ours.
        booked_at timestamptz,
        -- Null although it is booked: it fits no top-up, and is in suspense.
        top_up_id uuid UNIQUE REFERENCES top_up (id),
        -- Refunds and disputes that were heard of before the payment.
        waiting jsonb NOT NULL DEFAULT '[]',
        seen_at timestamptz NOT NULL
      )`);
    await runner.query(
      'CREATE INDEX card_payment_unbooked ON card_payment (seen_at) WHERE booked_at IS NULL',
    );
    await runner.query(`
      CREATE TABLE card_dispute (
        -- The provider's.
        id text PRIMARY KEY,
        payment text NOT NULL REFERENCES card_payment (id),
        account_id uuid,
        cents bigint NOT NULL,
        status text NOT NULL,
        opened_at timestamptz NOT NULL,
        -- When an operator let the account order again.
        cleared_at timestamptz
      )`);
    // Whether an account may order.
    await runner.query('CREATE INDEX card_dispute_account ON card_dispute (account_id)');
    await runner.query(`
      CREATE TABLE card_refund (
        id uuid PRIMARY KEY,
        top_up_id uuid NOT NULL REFERENCES top_up (id),
        idempotency_key text NOT NULL,
        cents bigint NOT NULL CHECK (cents > 0),
        state text NOT NULL DEFAULT 'asked' CHECK (state IN ('asked', 'sent', 'failed')),
        asked_by text NOT NULL,
        asked_at timestamptz NOT NULL,
        UNIQUE (top_up_id, idempotency_key)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE card_refund, card_dispute, card_payment, top_up');
  }
}
