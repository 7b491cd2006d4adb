import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pages of the former table that are moved at once: about 10,000 answers. */
const PAGES = 150;

/**
 * The answers that are kept as evidence, a partition a month, so that a month can be dropped. What many answers share
 * (who said it, what it was taken for, by which rules) stands once, beside the text.
 */
export class KeepAnswersByMonth1766000236000 implements MigrationInterface {
  // Rows are moved in small transactions beside readers and writers. After a kill the next start moves what is left.
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE IF NOT EXISTS kept_text (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        -- Two processes that meet the same text keep it once.
        digest bytea NOT NULL UNIQUE,
        source text NOT NULL,
        -- The state of the name, or why there is none.
        verdict text NOT NULL,
        parser smallint NOT NULL,
        status smallint,
        has_rdap_type boolean NOT NULL,
        -- Null for answers of before: what was no JSON object, or too long, was not told apart.
        shape text,
        text text,
        -- Deleted when the last answer that can refer to it is gone.
        last_seen_on date NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE IF NOT EXISTS kept_answer (
        asked_at timestamptz NOT NULL,
        took_ms integer NOT NULL,
        text_id integer NOT NULL,
        -- How old the claim was, where a cache in between had kept it.
        age_s integer,
        domain text COLLATE "C" NOT NULL
      ) PARTITION BY RANGE (asked_at)`);
    await runner.query('CREATE INDEX IF NOT EXISTS kept_answer_domain ON kept_answer (domain)');
    // A partition that is attached locks out neither readers nor writers, as one that is created in its place would.
    await runner.query(`
      CREATE OR REPLACE FUNCTION create_answer_month(day timestamptz) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        first timestamp := date_trunc('month', day AT TIME ZONE 'UTC');
        part text := 'kept_answer_' || to_char(first, 'YYYY_MM');
      BEGIN
        IF to_regclass(part) IS NOT NULL THEN RETURN; END IF;
        LOCK TABLE kept_answer IN SHARE UPDATE EXCLUSIVE MODE;
        IF to_regclass(part) IS NOT NULL THEN RETURN; END IF;
        EXECUTE format('CREATE TABLE %I (LIKE kept_answer INCLUDING ALL)', part);
        EXECUTE format('ALTER TABLE kept_answer ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                       part, first AT TIME ZONE 'UTC', (first + interval '1 month') AT TIME ZONE 'UTC');
      END $$`);
    await this.moveFormer(runner);
  }

  private async moveFormer(runner: QueryRunner): Promise<void> {
    const [former] = await rowsOf<{ exists: boolean }>(
      runner,
      `SELECT to_regclass('answer_log') IS NOT NULL AS exists`,
    );
    if (!former?.exists) return;
    const months = await rowsOf<{ month: Date }>(
      runner,
      `SELECT DISTINCT date_trunc('month', asked_at, 'UTC') AS month FROM answer_log`,
    );
    for (const { month } of months) await runner.query('SELECT create_answer_month($1)', [month]);
    for (let page = 0; page < (await countPages(runner)); page += PAGES)
      await moveRows(runner, `ctid >= '(${page},0)' AND ctid < '(${page + PAGES},0)'`);
    // What a process of the former version wrote meanwhile.
    await runner.startTransaction();
    try {
      await runner.query('LOCK TABLE answer_log IN ACCESS EXCLUSIVE MODE');
      await moveRows(runner, 'true');
      await runner.query('DROP TABLE answer_log');
      await runner.query('DROP TABLE IF EXISTS answer_text');
      await runner.commitTransaction();
    } catch (error) {
      await runner.rollbackTransaction();
      throw error;
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE answer_text (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        digest bytea NOT NULL UNIQUE,
        status smallint,
        has_rdap_type boolean NOT NULL,
        text text,
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
        verdict text NOT NULL
      )`);
    await runner.query(`
      INSERT INTO answer_text (digest, status, has_rdap_type, text, last_seen_on)
      SELECT ${FORMER_DIGEST}, status, has_rdap_type, text, max(last_seen_on)
        FROM kept_text WHERE text IS NOT NULL GROUP BY status, has_rdap_type, text`);
    await runner.query(`
      INSERT INTO answer_log (asked_at, answered_at, text_id, parser, status, domain, source, verdict)
      SELECT asked_at, asked_at + took_ms * interval '1 ms', answer_text.id, parser, kept_text.status, domain, source, verdict
        FROM kept_answer JOIN kept_text ON kept_text.id = text_id
             LEFT JOIN answer_text ON kept_text.text IS NOT NULL
              AND (answer_text.status, answer_text.has_rdap_type, answer_text.text)
                  IS NOT DISTINCT FROM (kept_text.status, kept_text.has_rdap_type, kept_text.text)`);
    await runner.query('CREATE INDEX answer_log_domain ON answer_log (domain, asked_at DESC)');
    await runner.query('CREATE INDEX answer_log_asked_at ON answer_log USING brin (asked_at)');
    await runner.query('DROP TABLE kept_answer');
    await runner.query('DROP TABLE kept_text');
    await runner.query('DROP FUNCTION create_answer_month');
  }
}

/** As what was kept before is told apart; new texts have digests of their own, as they have a shape. */
const DIGEST = `sha256(convert_to(jsonb_build_array(log.source, log.verdict, log.parser, log.status,
  said.has_rdap_type, said.text)::text, 'UTF8'))`;
const FORMER_DIGEST = `sha256(convert_to(jsonb_build_array(status, has_rdap_type, text)::text, 'UTF8'))`;

/** Some rows of the former table, and the texts that they need. */
async function moveRows(runner: QueryRunner, which: string): Promise<void> {
  await runner.query(`
    INSERT INTO kept_text AS known (digest, source, verdict, parser, status, has_rdap_type, text, last_seen_on)
    SELECT ${DIGEST}, log.source, log.verdict, log.parser, log.status, coalesce(said.has_rdap_type, false), said.text,
           max(asked_at)::date
      FROM (SELECT * FROM answer_log WHERE ${which}) AS log LEFT JOIN answer_text AS said ON said.id = text_id
     GROUP BY log.source, log.verdict, log.parser, log.status, said.has_rdap_type, said.text
    ON CONFLICT (digest) DO UPDATE SET last_seen_on = greatest(known.last_seen_on, excluded.last_seen_on)`);
  await runner.query(`
    WITH log AS (DELETE FROM answer_log WHERE ${which} RETURNING *)
    INSERT INTO kept_answer (asked_at, took_ms, text_id, domain)
    SELECT asked_at, round(extract(epoch FROM answered_at - asked_at) * 1000), kept_text.id, domain
      FROM log LEFT JOIN answer_text AS said ON said.id = text_id LEFT JOIN kept_text ON kept_text.digest = ${DIGEST}`);
}

async function countPages(runner: QueryRunner): Promise<number> {
  const [size] = await rowsOf<{ pages: number }>(
    runner,
    `SELECT (pg_relation_size('answer_log') / current_setting('block_size')::int)::int AS pages`,
  );
  return size?.pages ?? 0;
}

function rowsOf<Row>(runner: QueryRunner, sql: string): Promise<Row[]> {
  return runner.query(sql) as Promise<Row[]>;
}
