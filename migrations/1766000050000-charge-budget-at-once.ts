import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One row for all windows of a caller, so that one statement can charge them, and a row for each reservation. What hours and
 * months have counted is carried over; the minute begins anew.
 */
export class ChargeBudgetAtOnce1766000050000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE record_budget RENAME TO window_count`);
    await runner.query(`ALTER INDEX record_budget_pkey RENAME TO window_count_pkey`);
    await runner.query(`
      CREATE TABLE record_budget (
        caller text COLLATE "C",
        -- That of the tier's quota, or minute where it has none: a caller whose tier changes finds its month again.
        period text CHECK (period IN ('minute', 'hour', 'month')),
        minute_start timestamptz NOT NULL,
        minute_used integer NOT NULL,
        period_start timestamptz NOT NULL,
        period_used integer NOT NULL,
        -- The sum of record_reservation, kept here because only this row is locked while records are granted.
        reserved integer NOT NULL,
        -- When the last of them has ended, and nothing is reserved any more.
        reserved_until timestamptz NOT NULL,
        -- What the last statement granted: before PostgreSQL 18, RETURNING does not know the row as it was.
        granted integer NOT NULL,
        PRIMARY KEY (caller, period)
      ) WITH (fillfactor = 50)`);
    await runner.query(`
      CREATE TABLE record_reservation (
        id bigint GENERATED ALWAYS AS IDENTITY,
        caller text COLLATE "C",
        period text,
        records integer NOT NULL,
        ends_at timestamptz NOT NULL,
        -- Serves the search for those of a caller that have ended.
        PRIMARY KEY (caller, period, id),
        FOREIGN KEY (caller, period) REFERENCES record_budget ON DELETE CASCADE
      )`);
    await runner.query(`
      INSERT INTO record_budget
      SELECT DISTINCT ON (caller, period) caller, period, date_trunc('minute', now(), 'UTC'), 0, start::timestamptz, points, 0, now(), 0
      FROM window_count,
           LATERAL (SELECT split_part(key, '|', 1) AS caller, split_part(key, '|', 2) AS period, split_part(key, '|', 3) AS start) AS parts
      WHERE period IN ('hour', 'month') AND points > 0
      ORDER BY caller, period, start::timestamptz DESC`);
    await runner.query(`DROP TABLE window_count`);
    await runner.query(`DROP FUNCTION commit_without_waiting()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE window_count (
        key varchar(255),
        points integer NOT NULL DEFAULT 0,
        expire bigint,
        CONSTRAINT window_count_pkey PRIMARY KEY (key)
      )`);
    await runner.query(`
      INSERT INTO window_count
      SELECT concat_ws('|', caller, period, to_char(period_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
             period_used,
             1000 * extract(epoch FROM period_start + ('1 ' || period)::interval + '1 day')
      FROM record_budget WHERE period <> 'minute'`);
    await runner.query(`DROP TABLE record_reservation, record_budget`);
    await runner.query(`ALTER TABLE window_count RENAME TO record_budget`);
    await runner.query(`ALTER INDEX window_count_pkey RENAME TO record_budget_pkey`);
    await runner.query(`CREATE INDEX record_budget_expire ON record_budget (expire)`);
    await runner.query(`
      CREATE FUNCTION commit_without_waiting() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER commit_without_waiting BEFORE INSERT OR UPDATE ON record_budget
      FOR EACH STATEMENT EXECUTE FUNCTION commit_without_waiting()`);
  }
}
