import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets a statement end itself with a code and a message of ours. */
export class EndStatements1766000276000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Volatile, as it is by default: any other kind could be called while the statement is planned.
    await runner.query(`
      CREATE FUNCTION end_statement(code text, why text) RETURNS boolean LANGUAGE plpgsql PARALLEL SAFE AS $$
      BEGIN
        RAISE EXCEPTION USING ERRCODE = code, MESSAGE = why;
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION end_statement');
  }
}
