import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The name servers that were asked for, until the registrar has said whether the name has them. */
export class WishNameServers1766000268401 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE registration_order ADD wished_servers text[]');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE registration_order DROP wished_servers');
  }
}
