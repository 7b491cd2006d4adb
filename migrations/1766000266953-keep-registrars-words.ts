import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A registrar that has registered a name for us has the word about it. */
export class KeepRegistrarsWords1766000266953 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE registry_answer DROP CONSTRAINT registry_answer_source_check,
        ADD CONSTRAINT registry_answer_source_check CHECK (
          source IN ('rdap', 'sandbox', 'availability_service', 'registrar'))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM registry_answer WHERE source = 'registrar'`);
    await runner.query(`
      ALTER TABLE registry_answer DROP CONSTRAINT registry_answer_source_check,
        ADD CONSTRAINT registry_answer_source_check CHECK (source IN ('rdap', 'sandbox', 'availability_service'))`);
  }
}
