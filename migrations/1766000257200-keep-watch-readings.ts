import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How the words of a watched search were read when the watch was made: a later list of words does not change it. */
export class KeepWatchReadings1766000257200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE watch ADD COLUMN reading jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE watch DROP COLUMN reading');
  }
}
