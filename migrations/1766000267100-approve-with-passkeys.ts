import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Passkeys approve one order each: what an authenticator was asked to sign, and what it signed. */
export class ApproveWithPasskeys1766000267100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE approval_challenge (
        -- A new question replaces the earlier one of its order.
        order_id uuid PRIMARY KEY REFERENCES registration_order (id),
        challenge bytea NOT NULL,
        terms bytea NOT NULL,
        asked_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        used_at timestamptz,
        -- Signature, client data, authenticator data and public key: they prove the approval without this service.
        proof jsonb,
        CHECK ((used_at IS NULL) = (proof IS NULL))
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE approval_challenge');
  }
}
