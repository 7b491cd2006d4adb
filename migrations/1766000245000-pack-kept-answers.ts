import type { MigrationInterface, QueryRunner } from 'typeorm';

const COLUMNS = ['domains', 'asked_at', 'took_ms', 'text_id', 'age_s'];

/**
 * The answers of past months, packed: a hundred of neighbouring names in a row, whose columns PostgreSQL compresses. A row
 * for each answer takes more than twice the room.
 */
export class PackKeptAnswers1766000245000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE packed_answer (
        first_at timestamptz NOT NULL,
        last_at timestamptz NOT NULL,
        -- One entry for each answer, at the same place in all arrays.
        domains text[] COLLATE "C" NOT NULL,
        asked_at timestamptz[] NOT NULL,
        took_ms integer[] NOT NULL,
        text_id integer[] NOT NULL,
        age_s integer[] NOT NULL
      )`);
    // Compressed within the row: a second table for long values would take room of its own.
    await runner.query('ALTER TABLE packed_answer SET (toast_tuple_target = 128)');
    for (const column of COLUMNS)
      await runner.query(`ALTER TABLE packed_answer ALTER COLUMN ${column} SET STORAGE MAIN`);
    // The answers about a name.
    await runner.query(
      'CREATE INDEX packed_answer_domains ON packed_answer USING gin (domains) WITH (fastupdate = off)',
    );
    // Old months are deleted, and replays begin at a day.
    await runner.query('CREATE INDEX packed_answer_last_at ON packed_answer (last_at)');
    await runner.query(`
      CREATE FUNCTION answers_about(names text[]) RETURNS SETOF kept_answer LANGUAGE sql STABLE AS $$
        SELECT kept.* FROM kept_answer AS kept WHERE kept.domain = ANY (names)
         UNION ALL
        SELECT one.*
          FROM packed_answer AS packed,
               unnest(packed.asked_at, packed.took_ms, packed.text_id, packed.age_s, packed.domains)
                 AS one (asked_at, took_ms, text_id, age_s, domain)
         WHERE packed.domains && names AND one.domain = ANY (names)
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION answers_about');
    await runner.query('SELECT create_answer_month(first_at) FROM packed_answer');
    await runner.query(`
      INSERT INTO kept_answer (asked_at, took_ms, text_id, age_s, domain)
      SELECT one.* FROM packed_answer AS packed,
             unnest(packed.asked_at, packed.took_ms, packed.text_id, packed.age_s, packed.domains) AS one`);
    await runner.query('DROP TABLE packed_answer');
  }
}
