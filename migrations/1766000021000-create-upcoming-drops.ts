import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is about to be purged, in the order in which it is shown. */
export class CreateUpcomingDrops1766000021000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Whether the name may be purged a day before purge_at: it became due between the two runs of a day, and which of them takes
    // it is not published.
    await runner.query('ALTER TABLE domain ADD COLUMN purge_approximate boolean NOT NULL DEFAULT false');
    // The next purges, best score first. Two lists of two days make some five thousand entries.
    await runner.query(
      `CREATE INDEX domain_upcoming ON domain (purge_at, wayback DESC, domain) WHERE state = 'listed' AND NOT hidden`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX domain_upcoming');
    await runner.query('ALTER TABLE domain DROP COLUMN purge_approximate');
  }
}
