import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One index for whatever few names have in common that no order finds soon: in it, every filter of search has its column. */
export class CreateShapeIndex1766000100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // PostgreSQL 18 skips over the columns that are not asked for, which have few values: names with hyphens and digits, of at most
    // ten characters, first seen in one month, are 53 descents and 1,061 entries of ten million. It has all that an order
    // needs as well, so the table is read for the names of the answer only.
    await runner.query(`
      CREATE INDEX domain_shape ON domain (hyphens, digits, tld, length, first_seen, wayback, domain)
      WHERE available AND NOT hidden`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX domain_shape');
  }
}
