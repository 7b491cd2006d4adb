import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Each step of an order asks whether another one has its name already. */
export class FindRegisteredNames1766000267400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX registration_order_registered ON registration_order (domain) WHERE state = 'registered'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX registration_order_registered');
  }
}
