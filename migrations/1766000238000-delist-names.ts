import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATES = ['unconfirmed', 'listed', 'purged', 'available', 'stale', 'taken', 'rescued'];
const EVENTS = ['dropped', 'taken', 'listed', 'rescued', 'purged', 'removed', 'restored'];

/** Names that a revised drop list no longer has, and the newest day of each fetched list. */
export class DelistNames1766000238000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Without reading the tables while they are locked: more is allowed now than before. ValidateDelisted1766000238010
    // reads them.
    await runner.query(checking([...STATES, 'delisted'], ['listed', 'delisted', 'purged'], 'NOT VALID'));
    await runner.query(checkingEvents([...EVENTS, 'delisted'], 'NOT VALID'));
    await runner.query('ALTER TABLE list_fetch ADD COLUMN newest_day date');
    // Who wants to know that a watched name is listed wants to know that it is no longer.
    await runner.query(`
      UPDATE watch SET event_types = event_types || '{domain.delisted}'::text[]
       WHERE domain IS NOT NULL AND 'domain.listed' = ANY (event_types)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE list_fetch DROP COLUMN newest_day');
    for (const table of ['watch', 'webhook'])
      await runner.query(`
        UPDATE ${table} SET event_types = array_remove(event_types, 'domain.delisted')
         WHERE 'domain.delisted' = ANY (event_types)`);
    await runner.query(`DELETE FROM domain_event WHERE type = 'domain.delisted'`);
    await runner.query(checkingEvents(EVENTS, ''));
    // The release before asks the registry about them after their purge, as about any listed name.
    await runner.query(`UPDATE domain SET state = 'listed', ask_at = NULL WHERE state = 'delisted'`);
    await runner.query(checking(STATES, ['listed', 'purged'], ''));
  }
}

const listOf = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ');

const checking = (states: readonly string[], withPurge: readonly string[], mode: string) => `
  ALTER TABLE domain
    DROP CONSTRAINT domain_state_check,
    ADD CONSTRAINT domain_state_check CHECK (state IN (${listOf(states)})) ${mode},
    DROP CONSTRAINT domain_purge_check,
    ADD CONSTRAINT domain_purge_check CHECK (state NOT IN (${listOf(withPurge)}) OR purge_at IS NOT NULL) ${mode}`;

const checkingEvents = (events: readonly string[], mode: string) => `
  ALTER TABLE domain_event
    DROP CONSTRAINT domain_event_type_check,
    ADD CONSTRAINT domain_event_type_check
      CHECK (type IN (${listOf(events.map((event) => `domain.${event}`))})) ${mode}`;
