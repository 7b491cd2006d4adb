import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The name servers that a customer wants for a name; none: it is parked. */
export class NameServersOfOrders1766000266900 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE registration_order ADD name_servers text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE registration_order DROP name_servers');
  }
}
