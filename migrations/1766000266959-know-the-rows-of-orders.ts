import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The transaction that wrote where orders are placed: rows restored into their own tables have another xmin. */
export class KnowTheRowsOfOrders1766000266959 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The release before leaves it to the default.
    await runner.query(
      'ALTER TABLE ordering_place ADD COLUMN written_by xid NOT NULL DEFAULT pg_current_xact_id()::xid',
    );
    await runner.query('UPDATE ordering_place SET written_by = DEFAULT');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE ordering_place DROP COLUMN written_by');
  }
}
