import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Second factors of accounts (TOTP), as the accounts library reads and writes them (src/accounts/library/second-factor.ts). */
export class CreateSecondFactors1766000181000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account ADD COLUMN two_factor_enabled boolean DEFAULT false');
    await runner.query(`
      CREATE TABLE account_second_factor (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        account_id uuid NOT NULL UNIQUE REFERENCES account ON DELETE CASCADE,
        -- Both encrypted with the operator's secret.
        secret text NOT NULL,
        backup_codes text NOT NULL,
        -- Whether a code of it was seen: until then nobody is asked for one.
        verified boolean DEFAULT true,
        failed_verification_count integer DEFAULT 0,
        locked_until timestamptz
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_second_factor');
    await runner.query('ALTER TABLE account DROP COLUMN two_factor_enabled');
  }
}
