import type { MigrationInterface, QueryRunner } from 'typeorm';

/** API keys, and the version that tells every instance when something was taken away from one. */
export class CreateApiKeys1765900040000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE api_key (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
        -- SHA-256 of the key, whose text is nowhere. The constraint's index is the one that every keyed request reads.
        hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
        kind text NOT NULL CHECK (kind IN ('live', 'test')),
        start text NOT NULL,
        tail text NOT NULL,
        name text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
        scopes text[] NOT NULL CHECK (scopes <@ ARRAY['read', 'webhooks', 'export'] AND cardinality(scopes) > 0),
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz,
        revoked_at timestamptz,
        -- To the minute, and a few seconds late: see KeyUse.
        last_used_at timestamptz,
        -- The form that asked for the key: sent twice, it makes one. Its index also serves the list of an account's keys.
        submission uuid NOT NULL,
        -- When the key was replaced: from then on expires_at is the end of the change-over, no longer that of its chosen life.
        replaced_at timestamptz,
        UNIQUE (account_id, submission)
      )`);

    await runner.query(`
      CREATE TABLE auth_version (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        version bigint NOT NULL DEFAULT 0
      )`);
    await runner.query(`INSERT INTO auth_version DEFAULT VALUES`);

    // By trigger, so that it holds whoever makes the change: the page, the command line, or an operator with psql.
    await runner.query(`
      CREATE FUNCTION raise_auth_version() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE auth_version SET version = version + 1;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER api_key_taken_away
        AFTER UPDATE OF hash, account_id, kind, scopes, expires_at, revoked_at OR DELETE OR TRUNCATE ON api_key
        FOR EACH STATEMENT EXECUTE FUNCTION raise_auth_version()`);
    await runner.query(`
      CREATE TRIGGER account_tier_changed
        AFTER UPDATE OF tier ON account
        FOR EACH STATEMENT EXECUTE FUNCTION raise_auth_version()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER account_tier_changed ON account`);
    await runner.query(`DROP TABLE api_key`);
    await runner.query(`DROP FUNCTION raise_auth_version()`);
    await runner.query(`DROP TABLE auth_version`);
  }
}
