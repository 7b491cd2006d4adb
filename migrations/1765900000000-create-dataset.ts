import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The dataset of dropped names, its append-only events, and the one row that counts both. */
export class CreateDataset1765900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE domain (
        -- COLLATE "C": the order of names is the same on every server.
        domain text COLLATE "C" PRIMARY KEY,
        name text COLLATE "C" NOT NULL,
        tld text COLLATE "C" NOT NULL,
        length smallint NOT NULL GENERATED ALWAYS AS (length(name)) STORED,
        hyphens smallint NOT NULL GENERATED ALWAYS AS (length(name) - length(replace(name, '-', ''))) STORED,
        digits smallint NOT NULL GENERATED ALWAYS AS (length(name) - length(translate(name, '0123456789', ''))) STORED,
        wayback integer NOT NULL DEFAULT 0 CHECK (wayback >= 0),
        archive_status text NOT NULL DEFAULT 'pending' CHECK (archive_status IN ('pending', 'none', 'ok', 'error')),
        archive_first_capture date,
        archive_last_capture date,
        archive_captures integer CHECK (archive_captures >= 0),
        first_seen date,
        -- When this dataset learned that the name had dropped.
        dropped_at timestamptz NOT NULL,
        available boolean NOT NULL DEFAULT true,
        hidden boolean NOT NULL DEFAULT false,
        -- When a registry last said whether the name is available; null before the first answer.
        checked_at timestamptz,
        CHECK (domain = name || '.' || tld)
      )`);

    // One row. Whoever changes the dataset updates it last and holds its lock until the commit, so event numbers are
    // handed out in commit order: no event can become visible with a number lower than one that was already read.
    // Times rise with the numbers, also when the clock steps back: no event is given an earlier time than the one before.
    // So a time is found in the feed by halving, through the primary key, and needs no index.
    await runner.query(`
      CREATE TABLE dataset (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        available_records bigint NOT NULL DEFAULT 0 CHECK (available_records >= 0),
        last_event bigint NOT NULL DEFAULT 0,
        refreshed timestamptz,
        last_event_at timestamptz
      )`);
    await runner.query(`INSERT INTO dataset DEFAULT VALUES`);

    await runner.query(`
      CREATE TABLE domain_event (
        number bigint PRIMARY KEY,
        type text NOT NULL CHECK (type IN ('domain.dropped', 'domain.taken')),
        domain text COLLATE "C" NOT NULL,
        occurred_at timestamptz NOT NULL
      )`);
    // Serves the history of a name. Names come in any order: a hash index takes them at 0.1 µs each, where a B-tree takes
    // 4 µs (three million events).
    await runner.query('CREATE INDEX domain_event_domain ON domain_event USING hash (domain)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE domain_event`);
    await runner.query(`DROP TABLE dataset`);
    await runner.query(`DROP TABLE domain`);
  }
}
