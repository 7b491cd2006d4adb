import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Money that operators credit; above a limit a second one approves it. */
export class OperatorsCredits1766000266600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE operator_credit (
        id uuid PRIMARY KEY,
        -- Without a foreign key, as in the ledger.
        account_id uuid NOT NULL,
        cents bigint NOT NULL CHECK (cents > 0),
        reason text NOT NULL,
        asked_by text NOT NULL,
        asked_at timestamptz NOT NULL,
        booked_by text,
        booked_at timestamptz
      )`);
    // Those that wait for a second operator.
    await runner.query(
      'CREATE INDEX operator_credit_waiting ON operator_credit (asked_at) WHERE booked_at IS NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE operator_credit');
  }
}
