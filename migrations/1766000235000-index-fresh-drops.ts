import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The day's drops are confirmed before the backlog. */
export class IndexFreshDrops1766000235000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Serves the queue of questions: purged names, the newest day first, then the best score.
    await runner.query(`
      CREATE INDEX domain_fresh ON domain (((purge_at AT TIME ZONE 'UTC')::date) DESC, wayback DESC, domain)
       WHERE state = 'purged' AND ask_at IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX domain_fresh');
  }
}
