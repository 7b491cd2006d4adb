import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Networks from which a key may be used; none: from anywhere. */
export class BindKeysToNetworks1766000249000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE api_key ADD COLUMN networks cidr[] NOT NULL DEFAULT '{}'
         CONSTRAINT api_key_networks_check CHECK (cardinality(networks) <= 10)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_key DROP COLUMN networks');
  }
}
