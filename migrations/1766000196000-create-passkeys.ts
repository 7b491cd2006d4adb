import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Passkeys of accounts (WebAuthn), as the accounts library reads and writes them (src/accounts/passkeys/passkey-library.ts). */
export class CreatePasskeys1766000196000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_passkey (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
        name text,
        -- What an authenticator calls it by. Unique: signing in finds the account by it.
        credential_id text NOT NULL UNIQUE CHECK (length(credential_id) <= 2000),
        public_key text NOT NULL,
        -- 32 bits without a sign, which are too many for integer; a bigint would come to the library as a text.
        counter double precision NOT NULL,
        device_type text NOT NULL,
        backed_up boolean NOT NULL,
        transports text,
        aaguid text,
        created_at timestamptz
      )`);
    // The list of an account's own, and what goes with an account.
    await runner.query('CREATE INDEX account_passkey_account ON account_passkey (account_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_passkey');
  }
}
