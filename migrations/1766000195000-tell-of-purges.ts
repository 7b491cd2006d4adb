import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The passing of a purge is told as an event, apart from the confirmation that the name is free. */
export class TellOfPurges1766000195000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Without reading the table while it is locked: there are more types now than before. ValidateEventTypes1766000199500 reads it.
    await replaceTypes(
      runner,
      `'domain.dropped', 'domain.taken', 'domain.listed', 'domain.rescued', 'domain.purged'`,
      'NOT VALID',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM domain_event WHERE type = 'domain.purged'`);
    await replaceTypes(runner, `'domain.dropped', 'domain.taken', 'domain.listed', 'domain.rescued'`);
  }
}

async function replaceTypes(runner: QueryRunner, types: string, mode = ''): Promise<void> {
  await runner.query(`
    ALTER TABLE domain_event
      DROP CONSTRAINT domain_event_type_check,
      ADD CONSTRAINT domain_event_type_check CHECK (type IN (${types})) ${mode}`);
}
