import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Passkeys of operators, each by the key that it was added with, and challenges that were answered. */
export class OperatorPasskeys1766000259200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE operator_passkey (
        id text PRIMARY KEY,
        key_hash text NOT NULL,
        public_key bytea NOT NULL,
        counter bigint NOT NULL,
        added_at timestamptz NOT NULL,
        used_at timestamptz
      )`);
    await runner.query('CREATE INDEX operator_passkey_key_hash_idx ON operator_passkey (key_hash)');
    await runner.query(`
      CREATE TABLE operator_challenge (
        challenge bytea PRIMARY KEY,
        ends_at timestamptz NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE operator_challenge');
    await runner.query('DROP TABLE operator_passkey');
  }
}
