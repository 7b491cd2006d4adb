import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Every event has a type that is known. The table is read for it in a transaction of its own, which keeps no reader or writer waiting. */
export class ValidateEventTypes1766000199500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE domain_event VALIDATE CONSTRAINT domain_event_type_check');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE domain_event
        DROP CONSTRAINT domain_event_type_check,
        ADD CONSTRAINT domain_event_type_check CHECK (type IN ('domain.dropped', 'domain.taken', 'domain.listed', 'domain.rescued', 'domain.purged', 'domain.removed', 'domain.restored')) NOT VALID`);
  }
}
