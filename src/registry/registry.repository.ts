import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../db/database.js';
import type { RegistryAnswer, RegistrySource, RegistryState } from './answer.js';

/** An answer that is kept. */
export interface KeptAnswer extends RegistryAnswer {
  /**
   * Whether the dataset says something else on older evidence: an import held the row, or brought it, when the answer
   * was new.
   */
  readonly isMissed: boolean;
}

interface AnswerRow {
  readonly domain: string;
  readonly state: RegistryState;
  readonly source: RegistrySource;
  readonly checked_at: Date;
  readonly registered_at: Date | null;
  readonly message: string | null;
  readonly missed: boolean;
}

// Planning takes longer than reading two rows.
const FIND_ANSWERS = `
  SELECT domain, state, source, checked_at, registered_at, message,
         EXISTS (SELECT FROM domain
                  WHERE domain.domain = answer.domain
                    AND domain.available <> (answer.state = 'available')
                    AND (domain.checked_at IS NULL OR domain.checked_at < answer.checked_at)) AS missed
    FROM registry_answer AS answer
   WHERE domain = ANY ($1::text[]) AND source = ANY ($2::text[]) AND expires_at > clock_timestamp()`;

/** All SQL on the recent answers, which the instances share. */
@Injectable()
export class RegistryRepository {
  constructor(private readonly database: Database) {}

  /** By name. @param sources who may have said it: an answer of the sandbox is no answer of the registry */
  async findAnswers(
    domains: readonly string[],
    sources: readonly RegistrySource[],
  ): Promise<Map<string, KeptAnswer>> {
    const values = [domains, sources];
    const rows = await this.database.prepared<AnswerRow>({
      name: 'answers_find',
      text: FIND_ANSWERS,
      values,
    });
    return new Map(rows.map((row) => [row.domain, toKept(row)]));
  }

  /** Keeps the newer answer when two instances asked at the same time. */
  async saveAnswer(
    domain: string,
    answer: RegistryAnswer,
    seconds: number,
    on: Queryable = this.database,
  ): Promise<void> {
    await on.kept(
      `INSERT INTO registry_answer AS kept (domain, state, source, checked_at, registered_at, message, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(secs => $7))
       ON CONFLICT (domain) DO UPDATE
         SET state = excluded.state, source = excluded.source, checked_at = excluded.checked_at,
             registered_at = excluded.registered_at, message = excluded.message, expires_at = excluded.expires_at
         WHERE kept.checked_at <= excluded.checked_at`,
      [domain, answer.state, answer.source, answer.checkedAt, answer.registeredAt, answer.message, seconds],
    );
  }

  async deleteAnswer(domain: string, before: Date, transaction: Queryable): Promise<void> {
    await transaction.kept('DELETE FROM registry_answer WHERE domain = $1 AND checked_at <= $2', [
      domain,
      before,
    ]);
  }

  /** Deletes answers that expired an hour ago: until then a running import may need them. */
  async deleteExpiredAnswers(): Promise<void> {
    await this.database.kept(
      `DELETE FROM registry_answer WHERE expires_at <= clock_timestamp() - interval '1 hour'`,
    );
  }
}

function toKept({ state, source, message, missed, ...row }: AnswerRow): KeptAnswer {
  const times = { checkedAt: row.checked_at, registeredAt: row.registered_at };
  return { state, source, message, ...times, cached: true, isMissed: missed };
}
