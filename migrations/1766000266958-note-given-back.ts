import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a name was first given back to its registrar: evidence, where another has the name afterwards. */
export class NoteGivenBack1766000266958 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE registration_attempt ADD COLUMN cancel_sent_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE registration_attempt DROP COLUMN cancel_sent_at');
  }
}
