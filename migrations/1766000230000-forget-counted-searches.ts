import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Searches are no longer counted by how many names left or joined the offer, so nothing counts those moves: an instance of the previous
 * release that runs beside this one must remember no count. The next release drops the three columns.
 */
export class ForgetCountedSearches1766000230000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dataset ALTER COLUMN moves_counted_from SET DEFAULT 'infinity'`);
    await runner.query(`UPDATE dataset SET moves_counted_from = 'infinity'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dataset ALTER COLUMN moves_counted_from SET DEFAULT '-infinity'`);
    await runner.query(`UPDATE dataset SET moves_counted_from = now() + interval '1 day'`);
  }
}
