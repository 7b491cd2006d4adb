import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Apps that accounts have connected to the tool server, as the accounts library's OAuth provider reads and writes them
 * (src/accounts/oauth/oauth-provider.ts maps its names to these). Its lists are JSON in text.
 */
export class CreateConnectedApps1766000150000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Whoever wants to connect registers first, and says of itself what it likes.
    await runner.query(`
      CREATE TABLE oauth_client (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        client_id text NOT NULL UNIQUE,
        name text CHECK (length(name) BETWEEN 1 AND 100),
        redirect_uris text NOT NULL CHECK (length(redirect_uris) <= 8192),
        token_endpoint_auth_method text NOT NULL CHECK (token_endpoint_auth_method = 'none'),
        application_type text,
        grant_types text NOT NULL,
        response_types text NOT NULL,
        scopes text NOT NULL,
        -- Written by the library, and of no meaning here: how the app is known otherwise, what it may do for itself.
        client_discovery_id text,
        client_credentials_scopes text NOT NULL DEFAULT '[]',
        disabled boolean NOT NULL DEFAULT false,
        dpop_bound_access_tokens boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
    // Serves the count of those that nobody has connected yet, and their purge.
    await runner.query(`CREATE INDEX oauth_client_created_at ON oauth_client (created_at)`);

    // What tokens are for: the tool server's address.
    await runner.query(`
      CREATE TABLE oauth_resource (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        identifier text NOT NULL UNIQUE,
        name text NOT NULL,
        access_token_ttl integer,
        refresh_token_ttl integer,
        signing_algorithm text,
        signing_key_id text,
        allowed_scopes text,
        custom_claims jsonb,
        dpop_bound_access_tokens_required boolean NOT NULL DEFAULT false,
        disabled boolean NOT NULL DEFAULT false,
        policy_version integer NOT NULL DEFAULT 1,
        metadata jsonb,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);

    await runner.query(`
      CREATE TABLE oauth_consent (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
        client_id text NOT NULL REFERENCES oauth_client (client_id) ON DELETE CASCADE,
        scopes text NOT NULL,
        resources text,
        -- Of OpenID Connect, which is not offered.
        requested_user_info_claims text,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX oauth_consent_account_id ON oauth_consent (account_id)`);
    await runner.query(`CREATE INDEX oauth_consent_client_id ON oauth_consent (client_id)`);

    await runner.query(`
      CREATE TABLE oauth_refresh_token (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        -- SHA-256 in hex, of a token whose text is nowhere.
        token text NOT NULL UNIQUE CHECK (length(token) = 64),
        client_id text NOT NULL REFERENCES oauth_client (client_id) ON DELETE CASCADE,
        account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
        session_id uuid REFERENCES account_session ON DELETE SET NULL,
        authorization_code_id text,
        scopes text NOT NULL,
        resources text,
        auth_time timestamptz,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        revoked timestamptz,
        rotated_at timestamptz,
        -- What was answered when the token was used, encrypted: a client that heard nothing may ask once more for half a minute.
        rotation_replay_response text,
        rotation_replay_expires_at timestamptz
      )`);
    for (const column of ['client_id', 'account_id', 'session_id', 'authorization_code_id', 'expires_at'])
      await runner.query(`CREATE INDEX oauth_refresh_token_${column} ON oauth_refresh_token (${column})`);

    await runner.query(`
      CREATE TABLE oauth_access_token (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        -- The same. The constraint's index is the one that a request with a token reads.
        token text NOT NULL UNIQUE CHECK (length(token) = 64),
        client_id text NOT NULL REFERENCES oauth_client (client_id) ON DELETE CASCADE,
        account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
        session_id uuid REFERENCES account_session ON DELETE SET NULL,
        authorization_code_id text,
        refresh_id uuid REFERENCES oauth_refresh_token ON DELETE CASCADE,
        scopes text NOT NULL,
        resources text,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        revoked timestamptz
      )`);
    for (const column of [
      ...['client_id', 'account_id', 'session_id', 'authorization_code_id', 'refresh_id', 'expires_at'],
    ])
      await runner.query(`CREATE INDEX oauth_access_token_${column} ON oauth_access_token (${column})`);

    // As api_key_taken_away, and only where a token that would still work went: anybody can send a wrong code, after which the
    // library deletes what was issued for it.
    await runner.query(`
      CREATE FUNCTION raise_auth_version_for_tokens() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF EXISTS (SELECT FROM gone WHERE expires_at > now() AND revoked IS NULL) THEN
          UPDATE auth_version SET version = version + 1;
        END IF;
        RETURN NULL;
      END $$`);
    for (const change of ['UPDATE', 'DELETE'])
      await runner.query(`
        CREATE TRIGGER oauth_access_token_taken_away_by_${change.toLowerCase()}
          AFTER ${change} ON oauth_access_token REFERENCING OLD TABLE AS gone
          FOR EACH STATEMENT EXECUTE FUNCTION raise_auth_version_for_tokens()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['access_token', 'refresh_token', 'consent', 'resource', 'client'])
      await runner.query(`DROP TABLE oauth_${table}`);
    await runner.query(`DROP FUNCTION raise_auth_version_for_tokens()`);
  }
}
