import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Fewer and smaller indexes for the queues: each is written with every name that is imported and read whenever the table is built
 * anew. At ten million names on offer they shrink from 572 MB to 66 MB.
 */
export class SlimQueueIndexes1766000090000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Serves the passing of purges (Lifecycle.observePurges) and its backlog, and what is about to be purged, in the order in
    // which it is shown; hidden names among them are too few to keep apart.
    await runner.query('DROP INDEX domain_purge, domain_upcoming');
    await runner.query(
      `CREATE INDEX domain_listed ON domain (purge_at, wayback DESC, domain) WHERE state = 'listed'`,
    );
    // Serves the queue of questions: names to be confirmed, and names that nobody ever vouched for, best score first.
    await runner.query('DROP INDEX domain_confirmation, domain_unconfirmed');
    await runner.query(`
      CREATE INDEX domain_question ON domain (state, wayback DESC, domain)
       WHERE state IN ('purged', 'unconfirmed') AND ask_at IS NULL`);
    // Serves the archive's queue: names that were never looked up, within a state the latest drop first, read backwards the next
    // purge first. Without the name, equal entries are kept as one: the purge of most names is unknown, or that of a whole list.
    await runner.query('DROP INDEX domain_unscored');
    await runner.query(`
      CREATE INDEX domain_unscored ON domain (state, purge_at DESC NULLS LAST)
       WHERE archive_status = 'pending' AND NOT hidden`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX domain_unscored, domain_question, domain_listed');
    await runner.query(`CREATE INDEX domain_purge ON domain (purge_at) WHERE state = 'listed'`);
    await runner.query(
      `CREATE INDEX domain_upcoming ON domain (purge_at, wayback DESC, domain) WHERE state = 'listed' AND NOT hidden`,
    );
    await runner.query(
      `CREATE INDEX domain_confirmation ON domain (wayback DESC, domain) WHERE state = 'purged' AND ask_at IS NULL`,
    );
    await runner.query(
      `CREATE INDEX domain_unconfirmed ON domain (wayback DESC, domain) WHERE state = 'unconfirmed' AND ask_at IS NULL`,
    );
    await runner.query(`
      CREATE INDEX domain_unscored ON domain (state, purge_at DESC NULLS LAST, domain)
       WHERE archive_status = 'pending' AND NOT hidden`);
  }
}
