import type { MigrationInterface, QueryRunner } from 'typeorm';

/** That a webhook was switched off is told to its owner, also when the process ends before the mail is sent. */
export class TellOwnersForCertain1765000650000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // When somebody else is to tell the owner, if whoever switched it off has not by then; null: there is nothing to tell.
    await runner.query('ALTER TABLE webhook ADD COLUMN tell_owner_after timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook DROP COLUMN tell_owner_after');
  }
}
