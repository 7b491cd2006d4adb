import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../db/database.js';
import { withoutStatementTimeout } from '../db/open-database.js';
import { REGISTRY_STATES, type RegistryState } from '../domains/schema/states.js';
import type { NoAnswerReason, RegistrySource } from './answer.js';
import { digestOf, type Evidence } from './evidence.js';

export type Verdict = RegistryState | NoAnswerReason;

/** What all answers of a text have in common. */
export interface AnswerKind extends Evidence {
  readonly source: RegistrySource;
  readonly verdict: Verdict;
  /** Version of the rules that judged it. */
  readonly parser: number;
}

/** An answer of a registry, as it is kept. */
export interface LoggedAnswer extends Pick<AnswerKind, 'source' | 'verdict' | 'parser' | 'status'> {
  readonly domain: string;
  readonly askedAt: Date;
  readonly answeredAt: Date;
  /** How old its claim was by then, where a cache in between had kept it; else null. */
  readonly ageSeconds: number | null;
}

/** A text that answers had, and what they were taken for. */
export interface JudgedText extends AnswerKind {
  readonly answers: number;
  /** One of the names that were asked. */
  readonly example: string;
  readonly lastAt: Date;
}

const COLUMNS = `domain, source, asked_at AS "askedAt", verdict, parser, status, age_s AS "ageSeconds",
  asked_at + took_ms * interval '1 ms' AS "answeredAt"`;
const answersAbout = (names: string) => `answers_about(${names}) JOIN kept_text ON kept_text.id = text_id`;

const PACKED_COLUMNS = ['domain', 'asked_at', 'took_ms', 'text_id', 'age_s']
  .map((column) => `coalesce(array_agg(one.${column} ORDER BY one.domain, one.asked_at), '{}')`)
  .join(', ');

/** Answers in one row of a packed month: four such rows fill a page of PostgreSQL. */
const PACKED_TOGETHER = 104;
const PACKED = 'domains, asked_at, took_ms, text_id, age_s';
const UNPACKED = `unnest(packed.domains, packed.asked_at, packed.took_ms, packed.text_id, packed.age_s)
  AS one (domain, asked_at, took_ms, text_id, age_s)`;

/** All SQL on the answers that are kept as evidence: a partition a month, past months packed, and each text once. */
@Injectable()
export class AnswerLogRepository {
  constructor(private readonly database: Database) {}

  /** The id of a text, which is kept if it is new. @param day YYYY-MM-DD, on which it was seen */
  async keepText({ source, verdict, parser, ...evidence }: AnswerKind, day: string): Promise<number> {
    const { status, hasRdapType, shape, text } = evidence;
    const values = [source, verdict, parser, status, hasRdapType, shape, text];
    const [row] = await this.database.query<{ id: number }>(
      `INSERT INTO kept_text AS known
         (digest, source, verdict, parser, status, has_rdap_type, shape, text, last_seen_on)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       ON CONFLICT (digest) DO UPDATE SET last_seen_on = greatest(known.last_seen_on, excluded.last_seen_on)
       RETURNING id`,
      [digestOf(values), ...values, day],
    );
    if (!row) throw new Error('an upsert gave no row');
    return row.id;
  }

  /** Creates the partition of a month, if it is missing, beside readers and writers. */
  async createMonth(of: Date): Promise<void> {
    await this.database.query('SELECT create_answer_month($1)', [of]);
  }

  /** Into months that exist. */
  async add(
    entries: readonly (LoggedAnswer & { textId: number })[],
    source: Queryable = this.database,
  ): Promise<void> {
    await source.kept(
      `INSERT INTO kept_answer (asked_at, took_ms, text_id, age_s, domain)
       SELECT * FROM unnest($1::timestamptz[], $2::integer[], $3::integer[], $4::integer[], $5::text[])`,
      [
        entries.map(({ askedAt }) => askedAt),
        entries.map(({ askedAt, answeredAt }) => Math.round(answeredAt.getTime() - askedAt.getTime())),
        entries.map(({ textId }) => textId),
        entries.map(({ ageSeconds }) => ageSeconds),
        entries.map(({ domain }) => domain),
      ],
    );
  }

  /** All answers about a name, the newest first, with or without a verdict. */
  async list(domain: string, limit: number, source: Queryable = this.database): Promise<LoggedAnswer[]> {
    return source.query<LoggedAnswer & Record<string, unknown>>(
      `SELECT ${COLUMNS} FROM ${answersAbout('ARRAY[$1]')} ORDER BY asked_at DESC LIMIT $2`,
      [domain, limit],
    );
  }

  /**
   * The last answer about each name that said what it is, by name; where none did, the last one.
   *
   * @param sources who may have said it
   */
  async findLast(
    domains: readonly string[],
    sources: readonly RegistrySource[],
    source: Queryable = this.database,
  ): Promise<Map<string, LoggedAnswer>> {
    const rows = await source.query<LoggedAnswer & Record<string, unknown>>(
      `SELECT DISTINCT ON (domain) ${COLUMNS} FROM ${answersAbout('$1')}
        WHERE source = ANY ($2)
        ORDER BY domain, (verdict = ANY ($3)) DESC, asked_at DESC`,
      [domains, sources, REGISTRY_STATES],
    );
    return new Map(rows.map((row) => [row.domain, row]));
  }

  /** What answers of a time said, text by text; the most frequent first. */
  async listTexts(since: Date, limit: number): Promise<JudgedText[]> {
    return this.database.query<JudgedText & Record<string, unknown>>(
      `SELECT source, verdict, parser, status, has_rdap_type AS "hasRdapType", shape, text, answers, example,
              last_at AS "lastAt"
         FROM (SELECT text_id, count(*)::int AS answers, min(domain) AS example, max(asked_at) AS last_at
                 FROM (SELECT text_id, domain, asked_at FROM kept_answer
                        UNION ALL
                       SELECT one.text_id, one.domain, one.asked_at FROM packed_answer AS packed, ${UNPACKED}
                        WHERE packed.last_at >= $1) AS answer
                WHERE asked_at >= $1 GROUP BY text_id
                ORDER BY answers DESC, text_id LIMIT $2) AS judged
              JOIN kept_text ON kept_text.id = text_id
        ORDER BY answers DESC, kept_text.id`,
      [since, limit],
    );
  }

  /** Deletes all answers about a name. What they said is of many names, and has none in it. */
  async forget(domain: string, transaction: Queryable): Promise<void> {
    await transaction.query('DELETE FROM kept_answer WHERE domain = $1', [domain]);
    await transaction.query(
      `UPDATE packed_answer AS packed SET (${PACKED}) = (
         SELECT ${PACKED_COLUMNS} FROM ${UNPACKED} WHERE one.domain <> $1)
        WHERE domains @> ARRAY[$1]`,
      [domain],
    );
  }

  /** Packs the partitions of the months before a day, one transaction a month. */
  async packBefore(day: Date, lockTimeoutMs: number): Promise<void> {
    const months = await this.listMonthsBefore(day);
    if (months.length === 0) return;
    // A month has more than a million answers.
    await withoutStatementTimeout(this.database, async (database) => {
      for (const month of months)
        await database.transaction(async (transaction) => {
          // Readers go on; a late answer waits, and gets a partition of its own afterwards.
          await transaction.query(`LOCK TABLE ${month} IN SHARE ROW EXCLUSIVE MODE`);
          await transaction.query(
            `INSERT INTO packed_answer (first_at, last_at, ${PACKED})
             SELECT min(asked_at), max(asked_at), ${PACKED_COLUMNS}
               FROM (SELECT *, (row_number() OVER (ORDER BY domain, asked_at) - 1) / ${PACKED_TOGETHER} AS part
                       FROM ${month}) AS one
              GROUP BY part`,
          );
          await transaction.query(`DROP TABLE ${month}`);
        }, lockTimeoutMs);
    });
  }

  /** Drops the partitions of the months before a day, and the texts that only they had. */
  async dropBefore(day: Date, lockTimeoutMs: number): Promise<void> {
    for (const month of await this.listMonthsBefore(day))
      await this.database.transaction(
        (transaction) => transaction.query(`DROP TABLE IF EXISTS ${month}`),
        lockTimeoutMs,
      );
    await this.database.query('DELETE FROM packed_answer WHERE last_at < $1', [day]);
    await this.database.query('DELETE FROM kept_text WHERE last_seen_on < $1::timestamptz::date', [day]);
  }

  /** The partitions of the months before that of a day. */
  private async listMonthsBefore(day: Date): Promise<string[]> {
    const months = await this.database.query<{ name: string }>(
      `SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
        WHERE inhparent = 'kept_answer'::regclass AND relname < $1 ORDER BY relname`,
      [`kept_answer_${day.toISOString().slice(0, 7).replace('-', '_')}`],
    );
    return months.map(({ name }) => name);
  }
}
