import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An operator imports a list in spite of its alarm. */
export class AcceptLists1766000259100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE list_fetch ADD COLUMN is_accepted boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE list_fetch DROP COLUMN is_accepted');
  }
}
