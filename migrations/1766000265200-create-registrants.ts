import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The registrants of an account: who they are is encrypted. */
export class CreateRegistrants1766000265200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE registrant_profile (
        id uuid PRIMARY KEY,
        account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        sealed bytea NOT NULL,
        created_at timestamptz NOT NULL,
        changed_at timestamptz NOT NULL
      )`);
    // The list of an account, and its erasure.
    await runner.query(
      'CREATE INDEX registrant_profile_account ON registrant_profile (account_id, created_at)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE registrant_profile');
  }
}
