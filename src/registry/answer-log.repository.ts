import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../db/database.js';
import { REGISTRY_STATES, type RegistryState } from '../domains/schema/states.js';
import type { NoAnswerReason, RegistrySource } from './answer.js';
import { digestOf, type Evidence } from './evidence.js';

/** An answer of a registry, as it is kept. */
export interface LoggedAnswer {
  readonly domain: string;
  readonly source: RegistrySource;
  readonly askedAt: Date;
  readonly answeredAt: Date;
  readonly verdict: RegistryState | NoAnswerReason;
  /** Version of the rules that judged it. */
  readonly parser: number;
  /** Of HTTP; null where there is none. */
  readonly status: number | null;
}

/** A text that answers had, and what they were taken for. */
export interface JudgedText extends Evidence {
  readonly id: number;
  readonly source: RegistrySource;
  readonly verdict: RegistryState | NoAnswerReason;
  readonly answers: number;
  /** One of the names that were asked. */
  readonly example: string;
  readonly lastAt: Date;
}

const COLUMNS = `answer_log.domain, source, asked_at AS "askedAt", answered_at AS "answeredAt", verdict, parser, status`;

/** Rows that are deleted in one statement. */
const MAX_DELETED = 10_000;

/** All SQL on the answers that are kept as evidence. */
@Injectable()
export class AnswerLogRepository {
  constructor(private readonly database: Database) {}

  /** The id of a text, which is kept if it is new. @param day YYYY-MM-DD, on which it was seen */
  async keepText(evidence: Evidence, day: string): Promise<number> {
    const [row] = await this.database.query<{ id: number }>(
      `INSERT INTO answer_text AS known (digest, status, has_rdap_type, text, last_seen_on) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (digest) DO UPDATE SET last_seen_on = greatest(known.last_seen_on, excluded.last_seen_on)
       RETURNING id`,
      [digestOf(evidence), evidence.status, evidence.hasRdapType, evidence.text, day],
    );
    if (!row) throw new Error('an upsert gave no row');
    return row.id;
  }

  async add(
    entries: readonly (LoggedAnswer & { textId: number | null })[],
    source: Queryable = this.database,
  ): Promise<void> {
    await source.query(
      `INSERT INTO answer_log (asked_at, answered_at, text_id, parser, status, domain, source, verdict)
       SELECT * FROM unnest($1::timestamptz[], $2::timestamptz[], $3::integer[], $4::smallint[], $5::smallint[],
                            $6::text[], $7::text[], $8::text[])`,
      [
        entries.map(({ askedAt }) => askedAt),
        entries.map(({ answeredAt }) => answeredAt),
        entries.map(({ textId }) => textId),
        entries.map(({ parser }) => parser),
        entries.map(({ status }) => status),
        entries.map(({ domain }) => domain),
        entries.map(({ source }) => source),
        entries.map(({ verdict }) => verdict),
      ],
    );
  }

  /** All answers about a name, the newest first, with or without a verdict. */
  async list(domain: string, limit: number, source: Queryable = this.database): Promise<LoggedAnswer[]> {
    return source.query<LoggedAnswer & Record<string, unknown>>(
      `SELECT ${COLUMNS} FROM answer_log WHERE domain = $1 ORDER BY asked_at DESC LIMIT $2`,
      [domain, limit],
    );
  }

  /** The last answer about each name that said what it is, by name. @param sources who may have said it */
  async findLast(
    domains: readonly string[],
    sources: readonly RegistrySource[],
    source: Queryable = this.database,
  ): Promise<Map<string, LoggedAnswer & { verdict: RegistryState }>> {
    const rows = await source.query<LoggedAnswer & { verdict: RegistryState } & Record<string, unknown>>(
      `SELECT last.* FROM unnest($1::text[]) AS wanted (domain) CROSS JOIN LATERAL (
         SELECT ${COLUMNS} FROM answer_log
          WHERE answer_log.domain = wanted.domain AND source = ANY ($2) AND verdict = ANY ($3)
          ORDER BY asked_at DESC LIMIT 1) AS last`,
      [domains, sources, REGISTRY_STATES],
    );
    return new Map(rows.map((row) => [row.domain, row]));
  }

  /** What answers of a time said, text by text; the most frequent first. */
  async listTexts(since: Date): Promise<JudgedText[]> {
    return this.database.query<JudgedText & Record<string, unknown>>(
      `SELECT answer_text.id, answer_text.status, has_rdap_type AS "hasRdapType", text, source, verdict, answers,
              example, last_at AS "lastAt"
         FROM (SELECT text_id, source, verdict, count(*)::int AS answers, min(domain) AS example,
                      max(asked_at) AS last_at
                 FROM answer_log WHERE asked_at >= $1 AND text_id IS NOT NULL
                GROUP BY text_id, source, verdict) AS judged
              JOIN answer_text ON answer_text.id = text_id
        ORDER BY answers DESC, answer_text.id`,
      [since],
    );
  }

  /** Deletes all answers about a name. What they said is of many names, and has none in it. */
  async forget(domain: string, transaction: Queryable): Promise<void> {
    await transaction.query('DELETE FROM answer_log WHERE domain = $1', [domain]);
  }

  /** Deletes answers before a day, and the texts that only they had. @returns how many answers, 10,000 at most */
  async deleteBefore(day: Date): Promise<number> {
    const [row] = await this.database.query<{ deleted: number }>(
      `WITH gone AS (
         DELETE FROM answer_log
          WHERE ctid = ANY (ARRAY(SELECT ctid FROM answer_log WHERE asked_at < $1 LIMIT ${MAX_DELETED})) RETURNING 1
       )
       SELECT count(*)::int AS deleted FROM gone`,
      [day],
    );
    const deleted = row?.deleted ?? 0;
    if (deleted < MAX_DELETED)
      await this.database.query('DELETE FROM answer_text WHERE last_seen_on < $1::timestamptz::date', [day]);
    return deleted;
  }
}
