import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * All background work: a row is a thing that is due again and again, named by its kind and a key. Takes over the state
 * of the jobs, and keeps processes of the previous release from running them beside the engine.
 */
export class CreateWork1766000210000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // One row a process, written every few seconds, instead of a write for each row that it holds.
    await runner.query(`
      CREATE TABLE work_holder (
        id uuid PRIMARY KEY,
        process text NOT NULL,
        kinds text[] NOT NULL,
        until timestamptz NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE work_kind (
        kind text PRIMARY KEY,
        paused_at timestamptz,
        paused_by text,
        pause_reason text,
        -- A run that begins later is the one that an operator requested.
        wanted_at timestamptz,
        CHECK ((paused_at IS NULL) = (paused_by IS NULL) AND (paused_at IS NULL) = (pause_reason IS NULL))
      )`);
    await runner.query(`
      CREATE TABLE work (
        kind text NOT NULL,
        key text NOT NULL,
        -- Keys of one lane share its turns: an account's, say.
        lane text NOT NULL DEFAULT '',
        -- Does not move during a run, so that one that is killed is due at once. infinity: until it is woken.
        due_at timestamptz NOT NULL,
        -- Due and in the order of turns. Due and fair order do not fit one index.
        ready boolean NOT NULL DEFAULT false,
        turn double precision NOT NULL DEFAULT 0,
        holder uuid,
        -- Rises with every claim: a late write of an earlier run is refused by it.
        fence bigint NOT NULL DEFAULT 0,
        deadline_at timestamptz,
        -- When the key is due again, having been woken during its run.
        wake_at timestamptz,
        cursor jsonb,
        -- Since the last success; they set how long the key backs off.
        failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
        last_run_at timestamptz,
        last_success_at timestamptz,
        last_error text,
        last_error_at timestamptz,
        PRIMARY KEY (kind, key),
        CHECK (holder IS NULL OR NOT ready)
      ) WITH (fillfactor = 70)`);
    await runner.query(`CREATE INDEX work_due_idx ON work (kind, due_at) WHERE holder IS NULL AND NOT ready`);
    await runner.query(`CREATE INDEX work_ready_idx ON work (kind, turn) WHERE holder IS NULL AND ready`);
    await runner.query(`CREATE INDEX work_held_idx ON work (holder) WHERE holder IS NOT NULL`);
    await runner.query(`CREATE INDEX work_lane_idx ON work (kind, lane, turn)`);

    // Waits for what the previous release has under way, and refuses its later writes.
    await runner.query('DELETE FROM job_lease');
    await runner.query(`
      CREATE FUNCTION keep_from_previous_release() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER job_lease_ended BEFORE INSERT OR UPDATE OR DELETE ON job_lease
        FOR EACH ROW EXECUTE FUNCTION keep_from_previous_release()`);
    await runner.query(`
      INSERT INTO work_kind (kind, paused_at, paused_by, pause_reason, wanted_at)
      SELECT name, paused_at, paused_by, pause_reason, wanted_at FROM job_state`);
    await runner.query(`
      INSERT INTO work (kind, key, due_at, cursor, failures, last_run_at, last_success_at, last_error, last_error_at)
      SELECT name, '', next_due, cursor, failures, last_run_at, last_success_at, last_error, last_error_at
        FROM job_state`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER job_lease_ended ON job_lease');
    await runner.query('DROP FUNCTION keep_from_previous_release()');
    await runner.query(`
      UPDATE job_state
         SET next_due = due_at, cursor = work.cursor, failures = work.failures, last_run_at = work.last_run_at,
             last_success_at = work.last_success_at, last_error = work.last_error, last_error_at = work.last_error_at,
             paused_at = work_kind.paused_at, paused_by = work_kind.paused_by, pause_reason = work_kind.pause_reason,
             wanted_at = work_kind.wanted_at
        FROM work JOIN work_kind USING (kind) WHERE job_state.name = work.kind AND work.key = ''`);
    await runner.query('DROP TABLE work');
    await runner.query('DROP TABLE work_kind');
    await runner.query('DROP TABLE work_holder');
  }
}
