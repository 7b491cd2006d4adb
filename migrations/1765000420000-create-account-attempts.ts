import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counters of rate-limited attempts (sign-in, mail), in the shape that rate-limiter-flexible reads and writes. */
export class CreateAccountAttempts1765000420000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_attempt (
        key varchar(255) PRIMARY KEY,
        points integer NOT NULL DEFAULT 0,
        -- Milliseconds since 1970.
        expire bigint
      )`);
    // Serves the purge of counters whose window is past.
    await runner.query(`CREATE INDEX account_attempt_expire ON account_attempt (expire)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE account_attempt`);
  }
}
