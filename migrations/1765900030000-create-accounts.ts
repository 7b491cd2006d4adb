import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts, as the accounts library reads and writes them (src/accounts/library/account-library.ts maps its names to these). */
export class CreateAccounts1765900030000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        email text NOT NULL UNIQUE CHECK (email = lower(email) AND length(email) <= 254),
        email_verified boolean NOT NULL DEFAULT false,
        name text NOT NULL,
        image text,
        -- Set by the operator; the tier table is src/tiers/tiers.ts. A demo caller has no account.
        tier text NOT NULL DEFAULT 'member' CHECK (tier IN ('member', 'starter', 'pro', 'firehose')),
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
    // Serves the purge of accounts whose address nobody ever confirmed.
    await runner.query(`CREATE INDEX account_unverified ON account (created_at) WHERE NOT email_verified`);

    await runner.query(`
      CREATE TABLE account_session (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
        token text NOT NULL UNIQUE,
        expires_at timestamptz NOT NULL,
        ip_address text,
        user_agent text,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
    // Serves ending every session of an account; the purge of old ones reads the other.
    await runner.query(`CREATE INDEX account_session_account_id ON account_session (account_id)`);
    await runner.query(`CREATE INDEX account_session_expires_at ON account_session (expires_at)`);

    // The password's hash. The token columns belong to sign-in with other services, which is not offered.
    await runner.query(`
      CREATE TABLE account_credential (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
        provider text NOT NULL,
        provider_account_id text NOT NULL,
        password text,
        access_token text,
        refresh_token text,
        id_token text,
        access_token_expires_at timestamptz,
        refresh_token_expires_at timestamptz,
        scope text,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (account_id, provider)
      )`);

    // Links that were mailed and may be used once.
    await runner.query(`
      CREATE TABLE account_link (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        identifier text NOT NULL,
        value text NOT NULL,
        expires_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX account_link_identifier ON account_link (identifier)`);
    await runner.query(`CREATE INDEX account_link_expires_at ON account_link (expires_at)`);

    // Counters of rate-limited attempts (sign-in, mail), in the shape that rate-limiter-flexible reads and writes.
    await runner.query(`
      CREATE TABLE account_attempt (
        key varchar(255) PRIMARY KEY,
        points integer NOT NULL DEFAULT 0,
        -- Milliseconds since 1970.
        expire bigint
      )`);
    // Serves the purge of counters whose window is past.
    await runner.query(`CREATE INDEX account_attempt_expire ON account_attempt (expire)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE account_attempt`);
    await runner.query(`DROP TABLE account_link`);
    await runner.query(`DROP TABLE account_credential`);
    await runner.query(`DROP TABLE account_session`);
    await runner.query(`DROP TABLE account`);
  }
}
