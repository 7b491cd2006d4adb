import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The database in which orders were placed: one that was restored or promoted is another, and may lack the latest. */
export class KnowWhereOrdersBegan1766000266700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE ordering_place (
        is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
        place text NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE ordering_place');
  }
}
