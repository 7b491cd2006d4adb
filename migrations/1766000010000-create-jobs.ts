import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who does the dataset's jobs, and what is to be done next: jobs are rows, so that a killed process loses nothing. */
export class CreateJobs1766000010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // fence rises with every change of hands: what a former holder still has under way is told from the work of its
    // successor by it.
    await runner.query(`
      CREATE TABLE job_lease (
        name text PRIMARY KEY,
        holder uuid NOT NULL,
        fence bigint NOT NULL,
        until timestamptz NOT NULL
      )`);
    // next_due does not move while a piece of work is under way: one that is killed is due at once.
    await runner.query(`
      CREATE TABLE job_state (
        name text PRIMARY KEY,
        next_due timestamptz NOT NULL,
        last_run_at timestamptz,
        last_success_at timestamptz,
        -- Failures since the last success; they set how long the job backs off.
        failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
        -- Of the last failure, shortened; kept after a success, with its time.
        last_error text,
        last_error_at timestamptz,
        -- Where the job goes on, in its own words.
        cursor jsonb
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE job_state');
    await runner.query('DROP TABLE job_lease');
  }
}
