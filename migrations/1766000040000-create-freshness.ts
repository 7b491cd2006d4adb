import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What our own answers have taught about names that are taken: how fast, and how many offers are false. */
export class CreateFreshness1766000040000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // One row a cell that was ever observed: from so many days since the drop, from this score on.
    await runner.query(`
      CREATE TABLE taken_rate (
        age_from integer NOT NULL,
        score_from integer NOT NULL,
        exposure_days double precision NOT NULL CHECK (exposure_days >= 0),
        taken double precision NOT NULL CHECK (taken >= 0),
        observed_at timestamptz NOT NULL,
        PRIMARY KEY (age_from, score_from)
      )`);

    // One row, written from the first adjustment on.
    await runner.query(`
      CREATE TABLE freshness_threshold (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        steady double precision NOT NULL CHECK (steady > 0),
        current double precision NOT NULL CHECK (current > 0),
        adjusted_at timestamptz NOT NULL
      )`);

    // Offers that were drawn by lot and asked about, with what was known of each before.
    await runner.query(`
      CREATE TABLE truth_sample (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        domain text COLLATE "C" NOT NULL,
        stratum text NOT NULL CHECK (stratum IN ('all', 'top_100', 'top_1000', 'top_10000')),
        wayback integer NOT NULL,
        dropped_at timestamptz,
        offered_since timestamptz NOT NULL,
        asked_at timestamptz NOT NULL,
        outcome text NOT NULL CHECK (outcome IN ('free', 'taken', 'unknown'))
      )`);
    // Serves the figures of the last weeks, and the removal of what is older.
    await runner.query('CREATE INDEX truth_sample_asked_at ON truth_sample (asked_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE truth_sample');
    await runner.query('DROP TABLE freshness_threshold');
    await runner.query('DROP TABLE taken_rate');
  }
}
