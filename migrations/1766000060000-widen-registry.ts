import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a registry says beside the state of a name, and how its services are, which all instances share. */
export class WidenRegistry1766000060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE registry_answer
        DROP CONSTRAINT registry_answer_state_check,
        ADD CONSTRAINT registry_answer_state_check CHECK
          (state IN ('registered', 'expired_hold', 'pending_purge', 'pending_delete', 'available', 'reserved', 'declined')),
        ADD COLUMN registered_at timestamptz,
        -- Why a name is turned down: a sentence about the name, and nothing about who holds it.
        ADD COLUMN message text CHECK (length(message) <= 200)`);

    // Another address is another service, whose answers have to be tried before they are believed.
    await runner.query(`
      CREATE TABLE registry_health (
        source text NOT NULL CHECK (source IN ('rdap', 'sandbox', 'availability_service')),
        address text NOT NULL,
        canary text CHECK (canary IN ('ok', 'failed')),
        canary_at timestamptz,
        open_until timestamptz,
        last_answered_at timestamptz,
        PRIMARY KEY (source, address)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE registry_health');
    await runner.query(`DELETE FROM registry_answer WHERE state = 'declined'`);
    await runner.query(`
      ALTER TABLE registry_answer
        DROP COLUMN message,
        DROP COLUMN registered_at,
        DROP CONSTRAINT registry_answer_state_check,
        ADD CONSTRAINT registry_answer_state_check CHECK
          (state IN ('registered', 'expired_hold', 'pending_purge', 'pending_delete', 'available', 'reserved'))`);
  }
}
