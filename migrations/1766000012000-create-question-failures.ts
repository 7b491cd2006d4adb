import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often in a row the registry gave no answer about a name: the next question about it waits the longer. */
export class CreateQuestionFailures1766000012000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE question_failure (
        domain text COLLATE "C" PRIMARY KEY,
        failures integer NOT NULL CHECK (failures > 0),
        failed_at timestamptz NOT NULL
      )`);
    // Those that have not failed for long are forgotten: they were answered by a caller's question, or have left the dataset.
    await runner.query('CREATE INDEX question_failure_age ON question_failure (failed_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE question_failure');
  }
}
