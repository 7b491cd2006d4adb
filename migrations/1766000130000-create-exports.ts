import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What was exported: a row is written when the last file of an export is in its place, and is what makes it one. */
export class CreateExports1766000130000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // base: the snapshot that a diff begins from. It may be gone by now, so it is no foreign key.
    // ndjson_sha256: of the lines of a snapshot, uncompressed; of a diff, of those that it leads to.
    await runner.query(`
      CREATE TABLE export (
        id text COLLATE "C" PRIMARY KEY,
        kind text NOT NULL CHECK (kind IN ('snapshot', 'diff', 'changes')),
        made_at timestamptz NOT NULL,
        schema_version smallint NOT NULL,
        base text COLLATE "C",
        first_event bigint NOT NULL,
        last_event bigint NOT NULL,
        rows bigint NOT NULL CHECK (rows >= 0),
        ndjson_sha256 text,
        files jsonb NOT NULL,
        CONSTRAINT export_events_check CHECK (first_event BETWEEN 1 AND last_event + 1),
        CONSTRAINT export_base_check CHECK ((base IS NULL) = (kind <> 'diff'))
      )`);
    // The list, newest first, of all kinds or of one; and the last of a kind.
    await runner.query('CREATE INDEX export_newest ON export (made_at DESC, id DESC)');
    await runner.query('CREATE INDEX export_newest_of_kind ON export (kind, made_at DESC, id DESC)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE export');
  }
}
