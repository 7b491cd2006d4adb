import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where the events begin that are still kept: a reader who asks for earlier ones is to be told. */
export class KeepEventsForMonths1766000247200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dataset ADD COLUMN first_event bigint NOT NULL DEFAULT 1');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dataset DROP COLUMN first_event');
  }
}
