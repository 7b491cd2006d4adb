import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Imports of lists that operators uploaded: how far they are, what came of them, and the rows that were not imported. */
export class CreateOperatorImports1766000193000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE operator_import (
        id uuid PRIMARY KEY,
        file text NOT NULL,
        bytes bigint NOT NULL,
        dry_run boolean NOT NULL,
        actor text NOT NULL,
        reason text NOT NULL,
        started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        -- Written while it runs: one that has not been touched for a minute has lost its process.
        touched_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed')),
        step text NOT NULL DEFAULT 'waiting',
        rows bigint NOT NULL DEFAULT 0,
        read_bytes bigint NOT NULL DEFAULT 0,
        report jsonb,
        problem text,
        -- CSV, packed with gzip.
        rejects bytea
      )`);
    await runner.query(`CREATE INDEX operator_import_age ON operator_import (started_at DESC, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE operator_import`);
  }
}
