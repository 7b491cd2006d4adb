import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An account that an operator has disabled: nobody signs in to it, its keys do not work and its webhooks are not delivered. */
export class DisableAccounts1766000192000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE account ADD disabled_at timestamptz`);
    await runner.query(`
      CREATE TRIGGER account_disabled
        AFTER UPDATE OF disabled_at ON account
        FOR EACH STATEMENT EXECUTE FUNCTION raise_auth_version()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER account_disabled ON account`);
    await runner.query(`ALTER TABLE account DROP disabled_at`);
  }
}
