import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Former sites: their pages as text, the words of their titles, and the queue of those to read. */
export class FormerSites1766000270000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE former_site (
        domain text COLLATE "C" PRIMARY KEY,
        state text NOT NULL CHECK (state IN ('waiting', 'read', 'removed')),
        wanted_at timestamptz,
        next_at timestamptz NOT NULL,
        failures smallint NOT NULL DEFAULT 0,
        pages jsonb,
        title_words text[] NOT NULL DEFAULT '{}'
      )`);
    // The next to read: what people asked for, the longest wait first, and then the others.
    await runner.query(
      `CREATE INDEX former_site_queue ON former_site (wanted_at, next_at) WHERE state = 'waiting'`,
    );
    await runner.query('CREATE INDEX former_site_titles ON former_site USING gin (title_words)');
    await runner.query(`
      CREATE TABLE former_site_fill (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        is_complete boolean NOT NULL DEFAULT false,
        after text COLLATE "C" NOT NULL DEFAULT ''
      )`);
    await runner.query('INSERT INTO former_site_fill DEFAULT VALUES');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE former_site_fill, former_site');
  }
}
