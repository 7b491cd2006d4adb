import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tokens of sessions are kept as their hashes from now on, and sign-ups that wait for their confirmation in a table of their own. Whoever is
 * signed in stays so.
 */
export class ProtectSessions1766000180000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `UPDATE account_session SET token = encode(sha256(convert_to(token, 'UTF8')), 'hex') WHERE length(token) <> 64`,
    );
    // Who asked for an account, by the hash of the token that was mailed: nothing is made of it before it comes back.
    await runner.query(`
      CREATE TABLE account_sign_up (
        email text PRIMARY KEY CHECK (email = lower(email) AND length(email) <= 254),
        token_hash bytea NOT NULL UNIQUE,
        expires_at timestamptz NOT NULL
      )`);
    // Serves the purge of those that nobody confirmed.
    await runner.query('CREATE INDEX account_sign_up_expires_at ON account_sign_up (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_sign_up');
    // A token cannot be had back from its hash: everybody signs in again.
    await runner.query('DELETE FROM account_session');
  }
}
