import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Every fetch of an official drop list, on record. An hourly fetch of two lists makes 17,520 rows a year, which are kept. */
export class CreateListFetches1766000020000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE list_fetch (
        id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        address       text NOT NULL,
        kind          text NOT NULL CHECK (kind IN ('deleted', 'expired')),
        started_at    timestamptz NOT NULL,
        finished_at   timestamptz,
        http_status   smallint,
        etag          text,
        last_modified text,
        -- Of the list as text, unpacked: bytes, rows below the header, and their SHA-256 as hexadecimal digits.
        bytes         integer,
        header        text,
        rows          integer,
        sha256        text,
        -- Of the rows alone, whatever their order: the same rows are known again in another file.
        rows_sha256   text,
        rejected      integer,
        ahead         integer,
        outcome       text CHECK (outcome IN ('imported', 'unchanged', 'alarm', 'failed')),
        detail        text,
        -- A fetch without an outcome is under way, or its process was killed.
        CONSTRAINT finished_with_outcome CHECK ((finished_at IS NULL) = (outcome IS NULL))
      )`);
    // When an address is due, and what was wrong with it last: read from its newest fetches.
    await runner.query('CREATE INDEX list_fetch_address ON list_fetch (address, id DESC)');
    // What a new list is compared with: the few hundred that were imported, among thousands that brought nothing.
    await runner.query(
      `CREATE INDEX list_fetch_imported ON list_fetch (address, id DESC) WHERE outcome = 'imported'`,
    );
    await runner.query('CREATE INDEX list_fetch_unfinished ON list_fetch (id) WHERE outcome IS NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE list_fetch');
  }
}
