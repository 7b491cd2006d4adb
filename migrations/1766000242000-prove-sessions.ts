import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a session last proved its account holder; sessions from before this migration have to do so first. */
export class ProveSessions1766000242000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account_session ADD COLUMN proven_at timestamptz');
    await runner.query('ALTER TABLE account_session ALTER COLUMN proven_at SET DEFAULT now()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account_session DROP COLUMN proven_at');
  }
}
