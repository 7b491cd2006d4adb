import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Every state and every type of event is known. Readers and writers go on while the tables are read. */
export class ValidateDelisted1766000238010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE domain VALIDATE CONSTRAINT domain_state_check');
    await runner.query('ALTER TABLE domain VALIDATE CONSTRAINT domain_purge_check');
    await runner.query('ALTER TABLE domain_event VALIDATE CONSTRAINT domain_event_type_check');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE domain
        DROP CONSTRAINT domain_state_check,
        ADD CONSTRAINT domain_state_check
          CHECK (state IN ('unconfirmed', 'listed', 'purged', 'available', 'stale', 'taken', 'rescued', 'delisted'))
          NOT VALID,
        DROP CONSTRAINT domain_purge_check,
        ADD CONSTRAINT domain_purge_check
          CHECK (state NOT IN ('listed', 'delisted', 'purged') OR purge_at IS NOT NULL) NOT VALID`);
    await runner.query(`
      ALTER TABLE domain_event
        DROP CONSTRAINT domain_event_type_check,
        ADD CONSTRAINT domain_event_type_check
          CHECK (type IN ('domain.dropped', 'domain.taken', 'domain.listed', 'domain.rescued', 'domain.purged',
            'domain.removed', 'domain.restored', 'domain.delisted')) NOT VALID`);
  }
}
