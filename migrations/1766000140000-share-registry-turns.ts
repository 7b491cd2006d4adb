import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who waits for a turn to ask the registry, and who had those of this minute: what it takes to share them out fairly. */
export class ShareRegistryTurns1766000140000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE registry_pace
        -- Raised by every change: whoever has read the row changes it only while it is still the same.
        ADD COLUMN version bigint NOT NULL DEFAULT 0,
        -- In the row, and not in tables of their own, so that one statement decides on all of it.
        ADD COLUMN line jsonb NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE registry_pace DROP COLUMN line, DROP COLUMN version');
  }
}
