import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Incidents, which operators write for the status page. */
export class Incidents1766000259000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE incident (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        title text NOT NULL,
        words text NOT NULL,
        began_at timestamptz NOT NULL,
        ended_at timestamptz,
        updated_at timestamptz NOT NULL,
        CONSTRAINT incident_ends_after_its_beginning CHECK (ended_at >= began_at)
      )`);
    await runner.query('CREATE INDEX incident_began_at_idx ON incident (began_at DESC, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE incident');
  }
}
