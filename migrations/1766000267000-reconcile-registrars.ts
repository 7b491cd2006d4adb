import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What was last read of each registrar, and where it differs from what the orders say. */
export class ReconcileRegistrars1766000267000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE registrar_state (
        registrar text PRIMARY KEY,
        balance_cents bigint,
        balance_at timestamptz,
        -- What the registrar has more than the ledger says; it rises when money is sent there.
        surplus_cents bigint,
        prices_at timestamptz,
        polled_at timestamptz,
        messages_read integer NOT NULL DEFAULT 0,
        reconciled_at timestamptz,
        reconciled_place text,
        reconciled_names integer NOT NULL DEFAULT 0
      )`);
    await runner.query(`
      CREATE TABLE registrar_finding (
        registrar text NOT NULL,
        kind text NOT NULL,
        subject text COLLATE "C" NOT NULL,
        words text NOT NULL,
        found_at timestamptz NOT NULL,
        seen_at timestamptz NOT NULL,
        PRIMARY KEY (registrar, kind, subject)
      )`);
    // The names of a registrar, in the order in which they are compared.
    await runner.query(`
      CREATE INDEX registration_order_reconcile ON registration_order (registrar, number)
        WHERE state = 'registered' AND renews IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX registration_order_reconcile');
    await runner.query('DROP TABLE registrar_finding');
    await runner.query('DROP TABLE registrar_state');
  }
}
