import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Every answer of a registry is kept as evidence: what was asked when, what it was taken for and by which rules. What
 * answers said lies apart, once for all that said the same of different names.
 */
export class KeepRegistryAnswers1766000233500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE answer_text (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        -- Two processes that meet the same text keep it once.
        digest bytea NOT NULL UNIQUE,
        status smallint,
        has_rdap_type boolean NOT NULL,
        text text,
        -- Deleted when the last answer that can refer to it is gone.
        last_seen_on date NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE answer_log (
        asked_at timestamptz NOT NULL,
        answered_at timestamptz NOT NULL,
        text_id integer,
        parser smallint NOT NULL,
        status smallint,
        domain text NOT NULL,
        source text NOT NULL,
        -- The state of the name, or why there is none.
        verdict text NOT NULL
      )`);
    // The answers about a name, the newest first.
    await runner.query('CREATE INDEX answer_log_domain ON answer_log (domain, asked_at DESC)');
    // Old months are deleted. Rows lie in the order in which they were written, so that summaries of blocks will do.
    await runner.query('CREATE INDEX answer_log_asked_at ON answer_log USING brin (asked_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE answer_log');
    await runner.query('DROP TABLE answer_text');
  }
}
