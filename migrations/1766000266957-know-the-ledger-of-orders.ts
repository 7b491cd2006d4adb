import type { MigrationInterface, QueryRunner } from 'typeorm';

const OLD_PLACE = `(SELECT system_identifier FROM pg_control_system()) || '/' ||
  left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' ||
  (SELECT oid FROM pg_database WHERE datname = current_database())`;
const LEDGER = `'/' || 'ledger_entry'::regclass::oid`;

/** The ledger's table belongs to where orders were placed: a dump that is restored over its own database makes another. */
export class KnowTheLedgerOfOrders1766000266957 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A place that differs already stays: its database is to be reconciled.
    await runner.query(`UPDATE ordering_place SET place = place || ${LEDGER} WHERE place = ${OLD_PLACE}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `UPDATE ordering_place SET place = ${OLD_PLACE} WHERE place = ${OLD_PLACE} || ${LEDGER}`,
    );
  }
}
