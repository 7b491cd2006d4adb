import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether the caller of a bulk check has its token: its answers are charged from then on. */
export class ChargeDeliveredBulkChecks1766000233000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // By default as the previous release has it, which may run beside this one.
    await runner.query('ALTER TABLE bulk_check ADD COLUMN is_delivered boolean NOT NULL DEFAULT true');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE bulk_check DROP COLUMN is_delivered');
  }
}
