import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the registrar last gave an answer "no such name" that counts: the next one counts some minutes later. */
export class SpaceAnswers1766000266955 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE registration_attempt ADD COLUMN none_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE registration_attempt DROP COLUMN none_at');
  }
}
