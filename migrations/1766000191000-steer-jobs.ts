import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets an operator pause a job, and have it run out of its turn. */
export class SteerJobs1766000191000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE job_state
        ADD paused_at timestamptz,
        ADD paused_by text,
        ADD pause_reason text,
        -- A piece that is begun at that time or later is the one that was asked for.
        ADD wanted_at timestamptz,
        ADD CONSTRAINT job_state_pause_check CHECK ((paused_at IS NULL) = (paused_by IS NULL) AND (paused_at IS NULL) = (pause_reason IS NULL))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE job_state DROP paused_at, DROP paused_by, DROP pause_reason, DROP wanted_at`,
    );
  }
}
