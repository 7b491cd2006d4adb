import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the web archive was asked about names, how fast it may be asked, and which name is next. */
export class CreateArchive1766000030000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // One row a name that was ever asked about. The score is the last that was computed, and stays beside later failures. No
    // foreign key: an import may put another table in the place of domain.
    await runner.query(`
      CREATE TABLE domain_archive (
        domain text COLLATE "C" PRIMARY KEY,
        -- All null until the archive has answered once.
        source text CHECK (source IN ('archive', 'sandbox')),
        computed_at timestamptz,
        version smallint,
        wayback integer CHECK (wayback >= 0),
        captures integer CHECK (captures >= 0),
        days integer CHECK (days >= 0),
        first_capture date,
        last_capture date,
        active_years smallint,
        longest_gap_days integer,
        -- {"2009": 12, "2011": 3}
        days_by_year jsonb,
        -- Questions without an answer since the last answer, why the last of them had none, and when to ask again.
        failures smallint NOT NULL DEFAULT 0 CHECK (failures >= 0),
        failure text,
        ask_at timestamptz,
        CHECK ((computed_at IS NULL) = (source IS NULL) AND (computed_at IS NULL) = (days_by_year IS NULL)),
        CHECK ((failures = 0) = (ask_at IS NULL))
      )`);
    // What is asked again next.
    await runner.query(
      `CREATE INDEX domain_archive_ask_at ON domain_archive (ask_at) WHERE ask_at IS NOT NULL`,
    );

    // One row for the whole installation. A turn to ask is taken by moving next_turn_at.
    await runner.query(`
      CREATE TABLE archive_service (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        next_turn_at timestamptz NOT NULL DEFAULT '-infinity',
        rest_until timestamptz,
        rest_reason text,
        failures_in_row integer NOT NULL DEFAULT 0,
        last_asked_at timestamptz,
        last_answered_at timestamptz
      )`);
    await runner.query(`INSERT INTO archive_service DEFAULT VALUES`);

    // Names that were never looked up: within a state the latest drop first, read backwards the next purge first.
    await runner.query(`
      CREATE INDEX domain_unscored ON domain (state, purge_at DESC NULLS LAST, domain)
       WHERE archive_status = 'pending' AND NOT hidden`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX domain_unscored`);
    await runner.query(`DROP TABLE archive_service`);
    await runner.query(`DROP TABLE domain_archive`);
  }
}
