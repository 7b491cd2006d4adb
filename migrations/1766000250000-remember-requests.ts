import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Requests with an Idempotency-Key, and what each made, so that it is made once. */
export class RememberRequests1766000250000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE idempotent_request (
        account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        key text NOT NULL,
        request_hash bytea NOT NULL,
        reference text,
        begun_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (account_id, key)
      )`);
    await runner.query('CREATE INDEX idempotent_request_begun_at ON idempotent_request (begun_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotent_request');
  }
}
