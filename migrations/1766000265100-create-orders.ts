import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Orders of names, and each attempt to register one: a row that is committed before the first byte is sent. */
export class CreateOrders1766000265100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE registration_order (
        id uuid PRIMARY KEY,
        number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
        -- Without a foreign key: what was bought remains when the account is removed.
        account_id uuid NOT NULL,
        idempotency_key text NOT NULL,
        request_hash bytea NOT NULL,
        domain text COLLATE "C" NOT NULL,
        years smallint NOT NULL CHECK (years BETWEEN 1 AND 5),
        registrant_id uuid NOT NULL,
        registrar text NOT NULL,
        total_cents bigint NOT NULL CHECK (total_cents > 0),
        gst_cents bigint NOT NULL CHECK (gst_cents BETWEEN 0 AND total_cents),
        registrar_cents bigint NOT NULL CHECK (registrar_cents >= 0),
        agreements jsonb NOT NULL,
        -- Id, version and hash of each text that a person accepted.
        accepted jsonb,
        is_drop boolean NOT NULL,
        state text NOT NULL,
        placed_by text NOT NULL,
        placed_at timestamptz NOT NULL,
        approved_by text,
        approved_from text,
        -- The place in the queue for its name.
        approved_at timestamptz,
        lapses_at timestamptz NOT NULL,
        settled_at timestamptz,
        expires_at timestamptz,
        reason text,
        changed_at timestamptz NOT NULL,
        -- An order happens once, however often it is sent: keys are kept for ever.
        UNIQUE (account_id, idempotency_key)
      )`);
    // A second order that is under way for the same name would register it, and pay for it, twice.
    await runner.query(`
      CREATE UNIQUE INDEX registration_order_live ON registration_order (domain)
        WHERE state IN ('submitting', 'pending_registry', 'unknown', 'needs_operator')`);
    // Those that wait for the end of another.
    await runner.query(`
      CREATE INDEX registration_order_waiting ON registration_order (domain, approved_at, number)
        WHERE state IN ('approved', 'waiting_for_drop')`);
    // The list of an account.
    await runner.query(
      'CREATE INDEX registration_order_account ON registration_order (account_id, number DESC)',
    );
    await runner.query(`
      CREATE TABLE registration_attempt (
        id uuid PRIMARY KEY,
        order_id uuid NOT NULL REFERENCES registration_order (id),
        registrar text NOT NULL,
        -- The attempt as it was sent, encrypted: it has the registrant and the password of the name.
        sealed bytea NOT NULL,
        cltrid text NOT NULL UNIQUE,
        sent_at timestamptz NOT NULL,
        sends smallint NOT NULL DEFAULT 1 CHECK (sends BETWEEN 1 AND 2),
        -- Of the answers "no such name" since it was sent last, those that count.
        none_answers smallint NOT NULL DEFAULT 0,
        asked_at timestamptz,
        asks integer NOT NULL DEFAULT 0,
        -- What a message of the registrar said of it.
        decided text CHECK (decided IN ('done', 'refused')),
        ended_at timestamptz,
        ended_as text
      )`);
    // No second registrar, and no second attempt, while one is undecided.
    await runner.query(`
      CREATE UNIQUE INDEX registration_attempt_open ON registration_attempt (order_id) WHERE ended_at IS NULL`);
    await runner.query(`
      ALTER TABLE api_key DROP CONSTRAINT api_key_scopes_check,
        ADD CONSTRAINT api_key_scopes_check CHECK (
          scopes <@ ARRAY['read', 'webhooks', 'export', 'orders:read', 'orders:quote', 'orders:place']
          AND cardinality(scopes) > 0)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM api_key WHERE NOT scopes <@ ARRAY['read', 'webhooks', 'export']`);
    await runner.query(`
      ALTER TABLE api_key DROP CONSTRAINT api_key_scopes_check,
        ADD CONSTRAINT api_key_scopes_check CHECK (
          scopes <@ ARRAY['read', 'webhooks', 'export'] AND cardinality(scopes) > 0)`);
    await runner.query('DROP TABLE registration_attempt, registration_order');
  }
}
