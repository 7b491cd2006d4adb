import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What all instances share about the registry: its recent answers, the pace of asking, and when it wants to be left alone. */
export class CreateRegistry1765900020000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Nothing about a registrant has a place here: a state, who said it, and when.
    await runner.query(`
      CREATE TABLE registry_answer (
        domain text COLLATE "C" PRIMARY KEY,
        state text NOT NULL CHECK (state IN ('registered', 'expired_hold', 'pending_purge', 'pending_delete', 'available', 'reserved')),
        source text NOT NULL CHECK (source IN ('rdap', 'sandbox', 'availability_service')),
        checked_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL
      )`);
    // Serves the purge of answers that nobody may reuse any more.
    await runner.query(`CREATE INDEX registry_answer_expires_at ON registry_answer (expires_at)`);

    // One row for the whole installation. full_at is when the bucket of turns is full again.
    await runner.query(`
      CREATE TABLE registry_pace (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        full_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`INSERT INTO registry_pace DEFAULT VALUES`);

    await runner.query(`
      CREATE TABLE registry_pause (
        source text PRIMARY KEY CHECK (source IN ('rdap', 'sandbox', 'availability_service')),
        until timestamptz NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE registry_pause`);
    await runner.query(`DROP TABLE registry_pace`);
    await runner.query(`DROP TABLE registry_answer`);
  }
}
