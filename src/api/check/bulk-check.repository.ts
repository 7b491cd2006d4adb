import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { accountOf, type Caller, chargedKeyOf } from '../../access/caller.js';
import { Database, type Queryable } from '../../db/database.js';
import type { ErrorDetail } from '../../errors/api-failures.decorator.js';
import { WorkQueue } from '../../work/work-queue.js';
import type { RegistryAnswer } from '../../registry/answer.js';
import type { TierName } from '../../config/tiers.js';

/** The kind of work that asks about the names of a check, whose id is the key. */
export const BULK_KIND = 'bulk-check';
/** For how long the answers of a bulk check can be fetched. */
const KEPT_SECONDS = 3_600;

/** Why a name has no answer. */
type NameError = Omit<ErrorDetail, 'request_id'>;

/** One name and its answer or error; neither: the registry was not asked yet. */
export interface BulkName {
  readonly domain: string;
  readonly answer: RegistryAnswer | null;
  readonly error: NameError | null;
}

/** A bulk check with names to ask about. */
export interface BulkCheck {
  readonly id: string;
  readonly caller: string;
  /** The account that is charged; null for a caller known by address, and on the pages. */
  readonly accountId: string | null;
  readonly keyId: string | null;
  readonly tier: TierName;
  readonly reservation: string;
  readonly endsInMs: number;
}

export interface FoundCheck {
  readonly id: string;
  readonly isDone: boolean;
  readonly reservation: string;
}

export interface OpenName {
  readonly place: number;
  readonly domain: string;
  readonly failures: number;
}

const COLUMNS = `id, caller, tier, reservation, account_id AS "accountId", key_id AS "keyId",
  (extract(epoch FROM ends_at - clock_timestamp()) * 1000)::float8 AS "endsInMs"`;
const IS_OPEN = 'answer IS NULL AND error_code IS NULL';

@Injectable()
export class BulkCheckRepository {
  constructor(
    private readonly database: Database,
    private readonly queue: WorkQueue,
  ) {}

  /** Inserts it together with its work. Nothing is charged before its caller has the token. */
  async insert(
    by: Caller,
    reservation: string,
    tokenHash: Buffer,
    seconds: number,
    names: readonly BulkName[],
    remember?: (transaction: Queryable) => Promise<void>,
  ): Promise<BulkCheck> {
    const { id: caller, tier } = by;
    const id = randomUUID();
    const [check] = await this.database.transaction(async (transaction) => {
      const made = await transaction.query<BulkCheck>(
        `WITH made AS (
         INSERT INTO bulk_check (id, token_hash, caller, tier, reservation, ends_at, account_id, key_id,
                                 is_delivered)
         VALUES ($1, $2, $3, $4, $5, clock_timestamp() + make_interval(secs => $6), $8, $9, $10)
         RETURNING ${COLUMNS}
       ), named AS (
         INSERT INTO bulk_check_name (bulk_check, place, domain, answer, error_code, error_message)
         SELECT id, place, domain, answer, error->>'code', error->>'message'
           FROM made, jsonb_to_recordset($7::jsonb)
             AS name (place smallint, domain text, answer jsonb, error jsonb)
       )
       SELECT * FROM made`,
        [
          ...[id, tokenHash, caller, tier.name, reservation, seconds],
          JSON.stringify(
            names.map(({ domain, answer, error }, place) => ({
              ...{ place, domain },
              ...(answer && { answer }),
              ...(error && { error }),
            })),
          ),
          ...[accountOf(by), chargedKeyOf(by), by.delivery === undefined],
        ],
      );
      await this.queue.wake(transaction, BULK_KIND, [{ key: id, lane: caller }]);
      await remember?.(transaction);
      return made;
    });
    if (!check) throw new Error('an inserted bulk check has a row');
    return check;
  }

  /** @returns null for a token that is unknown, over, or another caller's */
  async find(tokenHash: Buffer, caller: string): Promise<FoundCheck | null> {
    const [row] = await this.database.query<FoundCheck>(
      `SELECT id, is_done AS "isDone", reservation FROM bulk_check WHERE token_hash = $1 AND caller = $2`,
      [tokenHash, caller],
    );
    return row ?? null;
  }

  async isDone(id: string): Promise<boolean> {
    const rows = await this.database.query('SELECT FROM bulk_check WHERE id = $1 AND NOT is_done', [id]);
    return rows.length === 0;
  }

  /** In the order in which they were asked for. */
  async listNames(id: string): Promise<BulkName[]> {
    const rows = await this.database.query<{
      domain: string;
      answer: (Omit<RegistryAnswer, 'checkedAt' | 'registeredAt'> & Record<AnswerTime, string | null>) | null;
      error: NameError | null;
    }>(
      `SELECT domain, answer,
              CASE WHEN error_code IS NOT NULL
                   THEN json_build_object('code', error_code, 'message', error_message) END AS error
         FROM bulk_check_name WHERE bulk_check = $1 ORDER BY place`,
      [id],
    );
    return rows.map(({ domain, answer, error }) => ({
      ...{ domain, error },
      answer: answer && {
        ...answer,
        checkedAt: new Date(answer.checkedAt ?? 0),
        registeredAt: answer.registeredAt === null ? null : new Date(answer.registeredAt),
      },
    }));
  }

  listOpen(id: string): Promise<OpenName[]> {
    return this.database.query<OpenName>(
      `SELECT place, domain, failures FROM bulk_check_name WHERE bulk_check = $1 AND ${IS_OPEN} ORDER BY place`,
      [id],
    );
  }

  /** Null when the check is done, or gone. */
  async findOpen(id: string): Promise<BulkCheck | null> {
    const [row] = await this.database.query<BulkCheck>(
      `SELECT ${COLUMNS} FROM bulk_check WHERE id = $1 AND NOT is_done`,
      [id],
    );
    return row ?? null;
  }

  /** How many checks of callers of these tiers are not done, counted up to `limit`. */
  async countOpen(tiers: readonly TierName[], limit: number): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count
         FROM (SELECT FROM bulk_check WHERE NOT is_done AND tier = ANY ($1) LIMIT $2) AS open`,
      [tiers, limit],
    );
    return row?.count ?? 0;
  }

  async saveAnswer(id: string, place: number, answer: RegistryAnswer): Promise<void> {
    await this.database.query(
      `UPDATE bulk_check_name SET answer = $3 WHERE bulk_check = $1 AND place = $2 AND ${IS_OPEN}`,
      [id, place, JSON.stringify(answer)],
    );
  }

  /** @param maxFailures the name has this error after so many */
  async saveFailure(id: string, place: number, error: NameError, maxFailures: number): Promise<void> {
    await this.database.query(
      `UPDATE bulk_check_name
          SET failures = failures + 1,
              error_code = CASE WHEN failures + 1 >= $5 THEN $3 END,
              error_message = CASE WHEN failures + 1 >= $5 THEN $4 END
        WHERE bulk_check = $1 AND place = $2 AND ${IS_OPEN}`,
      [id, place, error.code, error.message, maxFailures],
    );
  }

  async closeOpen(id: string, { code, message }: NameError): Promise<void> {
    await this.database.query(
      `UPDATE bulk_check_name SET error_code = $2, error_message = $3 WHERE bulk_check = $1 AND ${IS_OPEN}`,
      [id, code, message],
    );
  }

  /** Names with an answer, and how many of them are to be charged. */
  async countAnswered(id: string): Promise<{ answered: number; due: number }> {
    const [row] = await this.database.query<{ answered: number; due: number }>(
      `SELECT count(answer)::int AS answered, (CASE WHEN is_delivered THEN count(answer) ELSE 0 END)::int AS due
         FROM bulk_check JOIN bulk_check_name ON bulk_check = id
        WHERE id = $1 GROUP BY is_delivered`,
      [id],
    );
    return row ?? { answered: 0, due: 0 };
  }

  async markDone(id: string): Promise<void> {
    await this.database.query('UPDATE bulk_check SET is_done = true WHERE id = $1', [id]);
  }

  /** Done, and found by no token any more. */
  async withdraw(id: string): Promise<void> {
    await this.database.query(
      `UPDATE bulk_check SET is_done = true, token_hash = sha256(gen_random_uuid()::text::bytea) WHERE id = $1`,
      [id],
    );
  }

  /** The caller has the token. @returns whether it is done */
  async markDelivered(id: string): Promise<boolean> {
    const [row] = await this.database.query<{ isDone: boolean }>(
      'UPDATE bulk_check SET is_delivered = true WHERE id = $1 RETURNING is_done AS "isDone"',
      [id],
    );
    return row?.isDone ?? true;
  }

  async purge(): Promise<void> {
    await this.database.query(
      `DELETE FROM bulk_check WHERE ends_at < clock_timestamp() - make_interval(secs => $1) AND is_done`,
      [KEPT_SECONDS],
    );
  }
}

type AnswerTime = 'checkedAt' | 'registeredAt';
