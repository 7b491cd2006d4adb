import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What was sent to registrars and what they answered, redacted: the evidence by which an order is settled. */
export class KeepRegistrarExchanges1766000268000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE registrar_exchange (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        registrar text NOT NULL,
        cltrid text COLLATE "C",
        command text NOT NULL,
        sent_at timestamptz NOT NULL,
        took_ms integer NOT NULL,
        result text NOT NULL,
        request text NOT NULL,
        reply text
      )`);
    // The exchanges of an attempt, for the operator who settles it.
    await runner.query(
      'CREATE INDEX registrar_exchange_attempt ON registrar_exchange (cltrid, id) WHERE cltrid IS NOT NULL',
    );
    // The purge.
    await runner.query('CREATE INDEX registrar_exchange_sent ON registrar_exchange USING brin (sent_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE registrar_exchange');
  }
}
