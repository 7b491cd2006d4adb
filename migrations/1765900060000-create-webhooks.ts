import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Subscriptions, their deliveries, and how far events have been handed over to them. */
export class CreateWebhooks1765900060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhook (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        url text NOT NULL,
        description text NOT NULL,
        event_types text[] NOT NULL,
        -- The filter; an empty list of suffixes and what is null let everything through.
        suffixes text[] NOT NULL,
        q text,
        mode text NOT NULL,
        min_wayback integer NOT NULL,
        min_length smallint,
        max_length smallint,
        batch_size smallint NOT NULL CHECK (batch_size BETWEEN 1 AND 100),
        -- Encrypted with the operator's key. Those before it, the newest first, and until when each of them signs: every
        -- secret that was replaced signs for its day, however soon the next one is replaced.
        secret bytea NOT NULL,
        earlier_secrets bytea[] NOT NULL DEFAULT '{}',
        earlier_until timestamptz[] NOT NULL DEFAULT '{}',
        enabled boolean NOT NULL,
        disabled_reason text,
        -- Events up to this number are none of its business.
        after_event bigint NOT NULL,
        -- Since when nothing has succeeded; null while all is well.
        failing_since timestamptz,
        -- Whoever delivers to it holds it until then; a process that died holds it no longer than that.
        held_until timestamptz,
        idempotency_key text,
        request_hash bytea,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        -- Whether its receiver took its time when it was last asked.
        is_slow boolean NOT NULL DEFAULT false,
        -- A receiver that asks to be left alone is left alone by all deliveries, not only by the one it answered.
        not_before timestamptz,
        -- When somebody else is to tell the owner that it was switched off, if whoever did so has not by then; null: there is
        -- nothing to tell.
        tell_owner_after timestamptz,
        UNIQUE (account_id, idempotency_key)
      )`);
    await runner.query('CREATE INDEX webhook_account ON webhook (account_id, created_at)');

    await runner.query(`
      CREATE TABLE webhook_delivery (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        -- Not a foreign key: a webhook goes at once and its log by and by. As one statement, removing what an account can
        -- gather (20 webhooks, 30 days) took longer than a statement may; and a row of the log would lock the webhook's,
        -- which a delivery to it changes all the time.
        webhook_id uuid NOT NULL,
        type text NOT NULL,
        -- Numbers in domain_event; empty for a test.
        events bigint[] NOT NULL,
        status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
        attempts smallint NOT NULL DEFAULT 0,
        due_at timestamptz NOT NULL DEFAULT now(),
        response_status smallint,
        response_text text,
        problem text,
        duration_ms integer,
        created_at timestamptz NOT NULL DEFAULT now(),
        attempted_at timestamptz,
        -- Whether data is a list: a retry says what the first attempt said, whatever batch_size is by then.
        is_batch boolean NOT NULL DEFAULT false
      )`);
    await runner.query(
      `CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook_id, due_at) WHERE status = 'pending'`,
    );
    await runner.query('CREATE INDEX webhook_delivery_log ON webhook_delivery (webhook_id, created_at, id)');
    // Those that were given up are few, and looked for; those that wait have an index of their own.
    await runner.query(
      `CREATE INDEX webhook_delivery_failed ON webhook_delivery (webhook_id, created_at, id) WHERE status = 'failed'`,
    );
    await runner.query('CREATE INDEX webhook_delivery_age ON webhook_delivery (created_at)');

    // How far events were handed over. One row, and whoever holds it hands over.
    await runner.query(`
      CREATE TABLE webhook_outbox (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        last_event bigint NOT NULL
      )`);

    // The events themselves are the outbox: written in the transaction of the change, and never without it. This only
    // wakes whoever hands them over, once a statement, at the commit.
    await runner.query(`
      CREATE FUNCTION announce_events() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NOTIFY domain_event;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER announce_events AFTER INSERT ON domain_event
      FOR EACH STATEMENT EXECUTE FUNCTION announce_events()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER announce_events ON domain_event');
    await runner.query('DROP FUNCTION announce_events()');
    await runner.query('DROP TABLE webhook_outbox');
    await runner.query('DROP TABLE webhook_delivery');
    await runner.query('DROP TABLE webhook');
  }
}
