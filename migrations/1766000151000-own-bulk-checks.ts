import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whose a lease on a bulk check is: who stood still while it passed must not renew that of the next. */
export class OwnBulkChecks1766000151000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Null where a version before this one has the lease.
    await runner.query('ALTER TABLE bulk_check ADD COLUMN leased_by uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE bulk_check DROP COLUMN leased_by');
  }
}
