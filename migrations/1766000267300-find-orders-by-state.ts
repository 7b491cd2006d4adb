import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The orders of an account that wait for approval are counted, and the attempts of an order read, without a scan. */
export class FindOrdersByState1766000267300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX registration_order_awaiting ON registration_order (account_id) WHERE state = 'awaiting_approval'`);
    await runner.query(
      'CREATE INDEX registration_attempt_order ON registration_attempt (order_id, sent_at DESC)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX registration_attempt_order');
    await runner.query('DROP INDEX registration_order_awaiting');
  }
}
