import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which hosts and addresses account holders have proven to be theirs, and the pace of deliveries to those that they have not. */
export class ProveWebhookHosts1766000197000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Addresses are stored as URL writes them: the scheme, the host, a port unless it is the usual one, and a path.
    await runner.query(
      `ALTER TABLE webhook ADD host text GENERATED ALWAYS AS (substring(url FROM '^[a-z]+://([^/?#]+)')) STORED`,
    );
    // A place is a host, for whoever puts a file there holds all of it, or one address: who answers at a path may share the host.
    await runner.query(`
      CREATE TABLE webhook_proof (
        account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        place text NOT NULL,
        proven_at timestamptz NOT NULL DEFAULT now(),
        proven_by text NOT NULL CHECK (proven_by IN ('challenge', 'file', 'use')),
        PRIMARY KEY (account_id, place)
      )`);
    // One request an account at a time to all that is not proven: with a pace for each host, an account would reach as many hosts
    // as it has webhooks, and others each time it changes their addresses.
    // A proof is an attempt of its own: the deliveries that wait for it would take every turn.
    await runner.query(`
      CREATE TABLE webhook_turn (
        account_id uuid PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
        next_at timestamptz,
        next_proof_at timestamptz
      )`);
    // What was made before there was a proof goes on as it was.
    await runner.query(
      `INSERT INTO webhook_proof (account_id, place, proven_by) SELECT DISTINCT account_id, url, 'use' FROM webhook`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE webhook_turn');
    await runner.query('DROP TABLE webhook_proof');
    await runner.query('ALTER TABLE webhook DROP host');
  }
}
