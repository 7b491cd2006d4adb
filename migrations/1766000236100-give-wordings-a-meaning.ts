import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An added text may also say that a name is reserved or declined, or that the registry does not answer. */
export class GiveWordingsAMeaning1766000236100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE registry_wording ADD COLUMN meaning text NOT NULL DEFAULT 'not_found'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM registry_wording WHERE meaning <> 'not_found'`);
    await runner.query('ALTER TABLE registry_wording DROP COLUMN meaning');
  }
}
