import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Before a name is renewed, its other renewals are looked at. */
export class FindRenewals1766000266951 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX registration_order_renews ON registration_order (renews) WHERE renews IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX registration_order_renews');
  }
}
