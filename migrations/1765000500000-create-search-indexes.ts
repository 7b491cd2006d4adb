import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What search leans on beside discovery's own indexes: its other orders. By name, the primary key serves. */
export class CreateSearchIndexes1765000500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Names of one day or one length come by rank. Both hold the domain, so that filters are answered by the index alone.
    await runner.query(`
      CREATE INDEX domain_first_seen ON domain (first_seen DESC NULLS LAST, wayback DESC, domain)
      WHERE available AND NOT hidden`);
    await runner.query(`
      CREATE INDEX domain_length ON domain (length, wayback DESC, domain)
      WHERE available AND NOT hidden`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX domain_length');
    await runner.query('DROP INDEX domain_first_seen');
  }
}
