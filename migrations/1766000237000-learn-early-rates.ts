import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How fast names are caught in the minutes and hours after their purge. */
export class LearnEarlyRates1766000237000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // As taken_rate, which counts in days: 9 ages, 6 bands of scores and 6 suffixes make 324 rows.
    await runner.query(`
      CREATE TABLE early_taken_rate (
        age_from_minutes integer NOT NULL,
        score_from integer NOT NULL,
        suffix text COLLATE "C" NOT NULL,
        exposure_days double precision NOT NULL CHECK (exposure_days >= 0),
        taken double precision NOT NULL CHECK (taken >= 0),
        observed_at timestamptz NOT NULL,
        PRIMARY KEY (age_from_minutes, score_from, suffix)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE early_taken_rate');
  }
}
