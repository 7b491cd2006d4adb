import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What programs may order without asking, as a person of the account allowed it, and links that approve one order. */
export class CreateMandates1766000268100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE mandate (
        id uuid PRIMARY KEY,
        -- Without a foreign key: what was accepted remains when the account is removed.
        account_id uuid NOT NULL,
        registrant_id uuid NOT NULL,
        -- SHA-256 of its legal name and number: another holder under the same id needs another mandate.
        holder bytea NOT NULL,
        order_cents bigint NOT NULL CHECK (order_cents > 0),
        month_cents bigint NOT NULL CHECK (month_cents >= order_cents),
        suffixes text[] NOT NULL CHECK (cardinality(suffixes) > 0),
        key_ids uuid[] NOT NULL,
        app_ids text[] NOT NULL,
        -- Also where no source says whether the registrant may have the name.
        takes_unknown boolean NOT NULL,
        expires_at timestamptz NOT NULL,
        ended_at timestamptz,
        made_at timestamptz NOT NULL,
        -- Id, version and hash of each text that a person accepted; when, in which session, from which network.
        accepted jsonb NOT NULL,
        accepted_at timestamptz NOT NULL,
        accepted_by text NOT NULL,
        accepted_from text,
        -- A mandate for nobody would wait for a program to be named later.
        CHECK (cardinality(key_ids) + cardinality(app_ids) > 0)
      )`);
    await runner.query('CREATE INDEX mandate_account ON mandate (account_id, made_at DESC)');
    await runner.query(`
      ALTER TABLE registration_order
        ADD COLUMN mandate_id uuid,
        -- SHA-256 of name, years, total, registrant and agreements, as they were approved.
        ADD COLUMN approved_terms bytea`);
    // What a mandate has spent in a month: the holds of these orders.
    await runner.query(`
      CREATE INDEX registration_order_mandate ON registration_order (mandate_id, approved_at)
        WHERE mandate_id IS NOT NULL`);
    // A hash proves a text only as long as the text is kept.
    await runner.query(`
      CREATE TABLE agreement_text (
        hash text PRIMARY KEY,
        id text NOT NULL,
        version text NOT NULL,
        text text NOT NULL,
        UNIQUE (id, version)
      )`);
    await runner.query(`
      CREATE TABLE approval_link (
        -- One link an order.
        order_id uuid PRIMARY KEY REFERENCES registration_order (id),
        token_hash bytea NOT NULL UNIQUE,
        terms bytea NOT NULL,
        sent_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        used_at timestamptz
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE approval_link, agreement_text, mandate');
    await runner.query('ALTER TABLE registration_order DROP COLUMN mandate_id, DROP COLUMN approved_terms');
  }
}
