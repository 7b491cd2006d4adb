import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What is known of a name, and how: its state, its evidence, its purge, and when it is asked about next. Whatever is in the
 * dataset before rests on nobody's word and waits to be confirmed.
 */
export class CreateLifecycle1766000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE domain
        ADD COLUMN state text NOT NULL DEFAULT 'unconfirmed'
          CHECK (state IN ('unconfirmed', 'listed', 'purged', 'available', 'stale', 'taken', 'rescued')),
        -- Whose word the state rests on; null while it rests on none.
        ADD COLUMN confirmed_by text,
        -- What the registry said last, whatever the state is.
        ADD COLUMN registry_state text
          CHECK (registry_state IN ('registered', 'expired_hold', 'pending_purge', 'pending_delete', 'available', 'reserved', 'declined')),
        -- When a registry first called the name free against what was known; a second answer has to bear it out.
        ADD COLUMN free_seen_at timestamptz,
        ADD COLUMN list_kind text CHECK (list_kind IN ('deleted', 'expired')),
        ADD COLUMN list_source text,
        ADD COLUMN listed_at timestamptz,
        ADD COLUMN purge_at timestamptz,
        -- Until when a confirmation of this drop is news to the feed; null: it is none.
        ADD COLUMN news_until timestamptz,
        -- Whether the last that the feed said of the name is that it dropped.
        ADD COLUMN announced boolean NOT NULL DEFAULT false,
        -- Of names that are not available: when to ask again; null: when its turn comes. Of available ones: see recheck.
        ADD COLUMN ask_at timestamptz,
        ALTER COLUMN available SET DEFAULT false,
        ALTER COLUMN dropped_at DROP NOT NULL`);
    await runner.query(`
      UPDATE domain
         SET state = CASE WHEN available THEN 'unconfirmed' ELSE 'taken' END,
             announced = available AND NOT hidden,
             confirmed_by = CASE WHEN NOT available AND checked_at IS NOT NULL THEN 'rdap' END,
             available = false`);
    await runner.query('UPDATE dataset SET available_records = 0');
    // No name is offered without somebody's word for it and its time, whatever a writer may have got wrong.
    await runner.query(`
      ALTER TABLE domain
        ADD CONSTRAINT domain_available_check CHECK (available = (state = 'available')),
        ADD CONSTRAINT domain_evidence_check CHECK
          (NOT available OR (confirmed_by IS NOT NULL AND checked_at IS NOT NULL AND dropped_at IS NOT NULL)),
        ADD CONSTRAINT domain_purge_check CHECK (state NOT IN ('listed', 'purged') OR purge_at IS NOT NULL)`);
    // Room in every page for the next version of a row: a re-check that finds a name still free then touches no index.
    await runner.query('ALTER TABLE domain SET (fillfactor = 90)');

    // What is purged next.
    await runner.query(`CREATE INDEX domain_purge ON domain (purge_at) WHERE state = 'listed'`);
    // What is asked next, best score first.
    await runner.query(
      `CREATE INDEX domain_confirmation ON domain (wayback DESC, domain) WHERE state = 'purged' AND ask_at IS NULL`,
    );
    await runner.query(
      `CREATE INDEX domain_unconfirmed ON domain (wayback DESC, domain) WHERE state = 'unconfirmed' AND ask_at IS NULL`,
    );
    await runner.query(
      `CREATE INDEX domain_retry ON domain (ask_at) WHERE ask_at IS NOT NULL AND NOT available`,
    );
    // Searches for names that are not on offer.
    await runner.query(
      `CREATE INDEX domain_state ON domain (state, tld, wayback DESC, domain) WHERE NOT available AND NOT hidden`,
    );

    // When each name that is available or stale is asked about again, and when it last was. A table of its own: these times
    // move with every answer, and in domain each move would be a new entry in all of its indexes.
    await runner.query(`
      CREATE TABLE recheck (
        domain text COLLATE "C" PRIMARY KEY,
        ask_at timestamptz NOT NULL,
        checked_at timestamptz NOT NULL,
        offered boolean NOT NULL DEFAULT true
      )`);
    await runner.query('CREATE INDEX recheck_offered ON recheck (ask_at) WHERE offered');
    await runner.query('CREATE INDEX recheck_stale ON recheck (ask_at) WHERE NOT offered');
    // Which names on offer have not been asked about for too long.
    await runner.query('CREATE INDEX recheck_checked_at ON recheck (checked_at) WHERE offered');

    // One row. Too many answers in an hour that contradict what was known stop all writes of answers.
    await runner.query(`
      CREATE TABLE lifecycle_guard (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        hour timestamptz NOT NULL DEFAULT '-infinity',
        flips integer NOT NULL DEFAULT 0,
        writes_stopped_at timestamptz,
        reason text
      )`);
    await runner.query('INSERT INTO lifecycle_guard DEFAULT VALUES');

    await runner.query(`
      ALTER TABLE domain_event
        DROP CONSTRAINT domain_event_type_check,
        ADD CONSTRAINT domain_event_type_check
          CHECK (type IN ('domain.dropped', 'domain.taken', 'domain.listed', 'domain.rescued'))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM domain_event WHERE type NOT IN ('domain.dropped', 'domain.taken')`);
    await runner.query(`
      ALTER TABLE domain_event
        DROP CONSTRAINT domain_event_type_check,
        ADD CONSTRAINT domain_event_type_check CHECK (type IN ('domain.dropped', 'domain.taken'))`);
    await runner.query('DROP TABLE lifecycle_guard');
    await runner.query('DROP TABLE recheck');
    await runner.query(
      'DROP INDEX domain_state, domain_retry, domain_unconfirmed, domain_confirmation, domain_purge',
    );
    await runner.query('ALTER TABLE domain RESET (fillfactor)');
    await runner.query(`
      ALTER TABLE domain
        DROP CONSTRAINT domain_purge_check,
        DROP CONSTRAINT domain_evidence_check,
        DROP CONSTRAINT domain_available_check`);
    // As the release before took it: what is not known to be taken, and was no purge to come, is offered.
    await runner.query(`
      UPDATE domain
         SET available = state IN ('available', 'stale', 'purged', 'unconfirmed'),
             dropped_at = coalesce(dropped_at, listed_at, now())`);
    await runner.query(
      'UPDATE dataset SET available_records = (SELECT count(*) FROM domain WHERE available AND NOT hidden)',
    );
    await runner.query(`
      ALTER TABLE domain
        ALTER COLUMN dropped_at SET NOT NULL,
        ALTER COLUMN available SET DEFAULT true,
        DROP COLUMN ask_at, DROP COLUMN announced, DROP COLUMN news_until, DROP COLUMN purge_at, DROP COLUMN listed_at,
        DROP COLUMN list_source, DROP COLUMN list_kind, DROP COLUMN free_seen_at, DROP COLUMN registry_state,
        DROP COLUMN confirmed_by, DROP COLUMN state`);
  }
}
