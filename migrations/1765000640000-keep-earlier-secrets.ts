import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Every secret that was replaced signs for its day, however soon the next one is replaced. */
export class KeepEarlierSecrets1765000640000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook RENAME COLUMN previous_secret TO earlier_secrets');
    await runner.query('ALTER TABLE webhook RENAME COLUMN previous_until TO earlier_until');
    // The newest first, and until when each of them signs.
    await runner.query(`
      ALTER TABLE webhook
        ALTER COLUMN earlier_secrets TYPE bytea[] USING array_remove(ARRAY[earlier_secrets], NULL),
        ALTER COLUMN earlier_secrets SET DEFAULT '{}',
        ALTER COLUMN earlier_secrets SET NOT NULL,
        ALTER COLUMN earlier_until TYPE timestamptz[] USING array_remove(ARRAY[earlier_until], NULL),
        ALTER COLUMN earlier_until SET DEFAULT '{}',
        ALTER COLUMN earlier_until SET NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhook
        ALTER COLUMN earlier_secrets DROP DEFAULT,
        ALTER COLUMN earlier_secrets DROP NOT NULL,
        ALTER COLUMN earlier_secrets TYPE bytea USING earlier_secrets[1],
        ALTER COLUMN earlier_until DROP DEFAULT,
        ALTER COLUMN earlier_until DROP NOT NULL,
        ALTER COLUMN earlier_until TYPE timestamptz USING earlier_until[1]`);
    await runner.query('ALTER TABLE webhook RENAME COLUMN earlier_secrets TO previous_secret');
    await runner.query('ALTER TABLE webhook RENAME COLUMN earlier_until TO previous_until');
  }
}
