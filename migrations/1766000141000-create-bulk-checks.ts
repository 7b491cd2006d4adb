import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Checks of many names that outlast their request, and reservations that do: in the caller's row, which is locked anyway. */
export class CreateBulkChecks1766000141000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE record_reservation');
    await runner.query(`
      ALTER TABLE record_budget
        DROP COLUMN reserved,
        DROP COLUMN reserved_until,
        -- By id: records, how many of them are charged by now, and when it ends. What is under way is charged all the same.
        ADD COLUMN reservations jsonb NOT NULL DEFAULT '{}'`);

    await runner.query(`
      CREATE TABLE bulk_check (
        id uuid PRIMARY KEY,
        -- Whoever has the token gets the rest; SHA-256 of it.
        token_hash bytea NOT NULL UNIQUE,
        caller text COLLATE "C" NOT NULL,
        tier text NOT NULL,
        reservation text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        -- What has no answer by then is given back.
        ends_at timestamptz NOT NULL,
        -- Whoever works on it renews this; a process that died is followed by another when it has passed.
        leased_until timestamptz NOT NULL,
        -- Whether every name has what it gets, and the budget has been told.
        is_done boolean NOT NULL DEFAULT false
      )`);
    // Serves the search for work that nobody does.
    await runner.query(`CREATE INDEX bulk_check_open ON bulk_check (leased_until) WHERE NOT is_done`);
    // Serves the purge.
    await runner.query(`CREATE INDEX bulk_check_ends_at ON bulk_check (ends_at)`);

    await runner.query(`
      CREATE TABLE bulk_check_name (
        bulk_check uuid REFERENCES bulk_check ON DELETE CASCADE,
        place smallint,
        domain text COLLATE "C" NOT NULL,
        -- What the registry said: RegistryAnswer.
        answer jsonb,
        -- Why there is no answer and will be none: a code of the error table, and its text.
        error_code text,
        error_message text,
        failures smallint NOT NULL DEFAULT 0,
        PRIMARY KEY (bulk_check, place),
        CHECK (answer IS NULL OR error_code IS NULL)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE bulk_check_name, bulk_check');
    await runner.query(`
      ALTER TABLE record_budget
        DROP COLUMN reservations,
        DROP COLUMN granted,
        ADD COLUMN reserved integer NOT NULL DEFAULT 0,
        ADD COLUMN reserved_until timestamptz NOT NULL DEFAULT now(),
        ADD COLUMN granted integer NOT NULL DEFAULT 0`);
    await runner.query(`
      ALTER TABLE record_budget
        ALTER COLUMN reserved DROP DEFAULT,
        ALTER COLUMN reserved_until DROP DEFAULT,
        ALTER COLUMN granted DROP DEFAULT`);
    await runner.query(`
      CREATE TABLE record_reservation (
        id bigint GENERATED ALWAYS AS IDENTITY,
        caller text COLLATE "C",
        period text,
        records integer NOT NULL,
        ends_at timestamptz NOT NULL,
        PRIMARY KEY (caller, period, id),
        FOREIGN KEY (caller, period) REFERENCES record_budget ON DELETE CASCADE
      )`);
  }
}
