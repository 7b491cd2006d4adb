import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A request is remembered by the transaction that makes something, so that there is none under way; operators send such
 * requests too. Keys that made webhooks before are kept: sent again within their day, they make no second one.
 */
export class RememberWhatWasMade1766000256100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM idempotent_request WHERE reference IS NULL');
    await runner.query('ALTER TABLE idempotent_request ADD COLUMN owner text');
    await runner.query(`UPDATE idempotent_request SET owner = 'account:' || account_id`);
    await runner.query(`
      ALTER TABLE idempotent_request
        DROP CONSTRAINT idempotent_request_pkey,
        ADD PRIMARY KEY (owner, key),
        ALTER COLUMN account_id DROP NOT NULL,
        ALTER COLUMN reference SET NOT NULL`);
    // An account's requests end with it.
    await runner.query('CREATE INDEX idempotent_request_account_id ON idempotent_request (account_id)');
    await runner.query(`
      INSERT INTO idempotent_request (owner, key, account_id, request_hash, reference, begun_at)
      SELECT 'account:' || account_id, idempotency_key, account_id, coalesce(request_hash, ''), id, created_at
        FROM webhook WHERE idempotency_key IS NOT NULL AND created_at > now() - interval '1 day'
      ON CONFLICT DO NOTHING`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM idempotent_request WHERE account_id IS NULL');
    await runner.query('DROP INDEX idempotent_request_account_id');
    await runner.query(`
      ALTER TABLE idempotent_request
        DROP CONSTRAINT idempotent_request_pkey,
        ADD PRIMARY KEY (account_id, key),
        DROP COLUMN owner,
        ALTER COLUMN reference DROP NOT NULL`);
  }
}
