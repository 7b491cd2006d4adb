import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What requests of each minute came to, over all instances; and when an export was there for its readers. */
export class CreateServiceMinutes1766000131000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // subject: `instance` (some instance was there), `door:…` or `operation:…`. durations: how many took how long, by the bounds of
    // src/service-levels/durations.ts; of operations only.
    await runner.query(`
      CREATE TABLE service_minute (
        minute timestamptz NOT NULL,
        subject text COLLATE "C" NOT NULL,
        requests integer NOT NULL CHECK (requests >= 0),
        failures integer NOT NULL CHECK (failures BETWEEN 0 AND requests),
        durations integer[] NOT NULL,
        PRIMARY KEY (minute, subject)
      ) WITH (fillfactor = 70)`);
    await runner.query(
      'ALTER TABLE export ADD COLUMN finished_at timestamptz NOT NULL DEFAULT clock_timestamp()',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE export DROP COLUMN finished_at');
    await runner.query('DROP TABLE service_minute');
  }
}
