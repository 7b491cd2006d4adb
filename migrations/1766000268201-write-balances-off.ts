import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A credit below zero writes a balance off. */
export class WriteBalancesOff1766000268201 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE operator_credit DROP CONSTRAINT operator_credit_cents_check');
    await runner.query(
      'ALTER TABLE operator_credit ADD CONSTRAINT operator_credit_cents_check CHECK (cents <> 0)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    // What was written off stays in the ledger.
    await runner.query('DELETE FROM operator_credit WHERE cents < 0');
    await runner.query('ALTER TABLE operator_credit DROP CONSTRAINT operator_credit_cents_check');
    await runner.query(
      'ALTER TABLE operator_credit ADD CONSTRAINT operator_credit_cents_check CHECK (cents > 0)',
    );
  }
}
