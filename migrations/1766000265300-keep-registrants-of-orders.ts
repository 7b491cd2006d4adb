import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The registrant of an order as it was when the order was placed, encrypted: later changes of the profile are not its own. */
export class KeepRegistrantsOfOrders1766000265300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Null once the account is erased.
    await runner.query('ALTER TABLE registration_order ADD COLUMN sealed bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE registration_order DROP COLUMN sealed');
  }
}
