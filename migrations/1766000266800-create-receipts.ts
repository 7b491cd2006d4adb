import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The number of each document about money, and its seller as it was then. The ledger has the rest. */
export class CreateReceipts1766000266800 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE receipt (
        number bigint GENERATED ALWAYS AS IDENTITY (START WITH 1001) PRIMARY KEY,
        -- One document a movement.
        transaction_id bigint NOT NULL UNIQUE REFERENCES ledger_transaction (id),
        -- Without a foreign key, as in the ledger.
        account_id uuid NOT NULL,
        seller jsonb NOT NULL
      )`);
    await runner.query(`
      CREATE TRIGGER receipt_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON receipt
        FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE receipt');
  }
}
