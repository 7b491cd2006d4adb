import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a key was replaced: from then on `expires_at` is the end of the change-over, and no longer that of its chosen life. */
export class NoteReplacedKeys1765000615000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_key ADD COLUMN replaced_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_key DROP COLUMN replaced_at`);
  }
}
