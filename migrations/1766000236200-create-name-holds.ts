import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Names that an operator knows to be held back, such as contested ones. */
export class CreateNameHolds1766000236200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE name_hold (
        domain text COLLATE "C" PRIMARY KEY,
        what text NOT NULL,
        source text NOT NULL,
        as_of date NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE name_hold');
  }
}
