import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Texts that an operator has read in a registry's answers and that say nothing but "not found". */
export class CreateRegistryWordings1766000234000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE registry_wording (
        -- Lower case, words only, as texts are compared.
        compared text PRIMARY KEY,
        text text NOT NULL,
        source text NOT NULL,
        added_by text NOT NULL,
        added_at timestamptz NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE registry_wording');
  }
}
