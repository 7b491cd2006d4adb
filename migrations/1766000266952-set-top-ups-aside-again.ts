import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is left of a top-up after a refund is set aside again until its waiting time ends. */
export class SetTopUpsAsideAgain1766000266952 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE top_up
        -- The newest hold; null: the first, which has the id of the top-up.
        ADD COLUMN hold_id uuid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE top_up DROP COLUMN hold_id');
  }
}
