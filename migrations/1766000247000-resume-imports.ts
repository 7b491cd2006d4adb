import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far an import is that changes the dataset batch by batch: the next import of the same file goes on there. */
export class ResumeImports1766000247000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE import_run (
        -- Of the rows, and of the terms under which they are taken in.
        fingerprint text PRIMARY KEY,
        source text NOT NULL,
        counts jsonb NOT NULL,
        -- The last name of the last batch; null while names are taken off that the list lacks.
        done text COLLATE "C"
      ) WITH (fillfactor = 50)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE import_run');
  }
}
