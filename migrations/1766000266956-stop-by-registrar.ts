import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whose refusal or short balance it was: the stop holds until each of them has funds again. */
export class StopByRegistrar1766000266956 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE ordering_stop ADD COLUMN registrars text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE ordering_stop DROP COLUMN registrars');
  }
}
