import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What accounts were charged, by key and day. */
export class CreateUsageDays1766000161000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE usage_day (
        -- Not a foreign key: an account that is removed in the middle of a charge must not fail those that are charged with it.
        account_id uuid NOT NULL,
        -- Null: asked on the pages, by somebody signed in.
        key_id uuid,
        -- Of UTC, as the windows of the budgets are.
        day date NOT NULL,
        records bigint NOT NULL,
        UNIQUE NULLS NOT DISTINCT (account_id, key_id, day)
      ) WITH (fillfactor = 50)`);
    // Serves the history of an account, and the purge.
    await runner.query('CREATE INDEX usage_day_history ON usage_day (account_id, day)');
    await runner.query('CREATE INDEX usage_day_day ON usage_day (day)');
    // What is charged behind the request is charged to its key.
    await runner.query('ALTER TABLE bulk_check ADD COLUMN account_id uuid, ADD COLUMN key_id uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE bulk_check DROP COLUMN account_id, DROP COLUMN key_id');
    await runner.query('DROP TABLE usage_day');
  }
}
