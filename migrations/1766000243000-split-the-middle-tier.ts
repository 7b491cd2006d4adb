import type { MigrationInterface, QueryRunner } from 'typeorm';

const GRAMS =
  'gin (domain_grams(name, tld), domain_traits(name, hyphens, digits, first_seen)) WITH (fastupdate = on)';
const FOUND = 'WHERE available AND NOT hidden AND wayback >=';

/**
 * The names of 300 to 999 captures have an index of their own, beside that of 100 to 999, which releases before go on reading. Those
 * of 1,000 and more are few and share one. That of 10,000 and more holds few names and stays for one release: those before file its
 * pending grams by its name.
 */
export class SplitTheMiddleTier1766000243000 implements MigrationInterface {
  // Built while the service reads and writes, which no transaction can do; after a kill the next start begins again.
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET maintenance_work_mem = '512MB'`);
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS domain_band_300');
    await runner.query(
      `CREATE INDEX CONCURRENTLY domain_band_300 ON domain USING ${GRAMS} ${FOUND} 300 AND wayback <= 999`,
    );
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS domain_band_1000_up');
    await runner.query(
      `CREATE INDEX CONCURRENTLY domain_band_1000_up ON domain USING ${GRAMS} ${FOUND} 1000`,
    );
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS domain_band_1000');
    await runner.query('ALTER INDEX domain_band_1000_up RENAME TO domain_band_1000');
    await runner.query('RESET maintenance_work_mem');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX domain_band_300, domain_band_1000');
    await runner.query(
      `CREATE INDEX domain_band_1000 ON domain USING ${GRAMS} ${FOUND} 1000 AND wayback <= 9999`,
    );
  }
}
