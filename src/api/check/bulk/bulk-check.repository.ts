import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { accountOf, type Caller, chargedKeyOf } from '../../../access/caller.js';
import { Database } from '../../../db/database.js';
import type { RegistryAnswer } from '../../../registry/answer.js';
import type { TierName } from '../../../config/tiers.js';
import type { BulkCheckError } from './bulk-check.dto.js';

/** Of whoever works on a check: renewed every five seconds. */
const LEASE_SECONDS = 20;
/** For how long the answers of a bulk check can be fetched. */
const KEPT_SECONDS = 3_600;

/** One name, and what is known of it; neither answer nor error: nobody was asked yet. */
export interface BulkName {
  readonly domain: string;
  readonly answer: RegistryAnswer | null;
  readonly error: BulkCheckError | null;
}

/** A bulk check that somebody works on. */
export interface BulkCheck {
  readonly id: string;
  readonly caller: string;
  /** Whose usage it is; null for who is known by address, or asked on the pages. */
  readonly accountId: string | null;
  readonly keyId: string | null;
  readonly tier: TierName;
  readonly reservation: string;
  readonly endsInMs: number;
}

export interface OpenName {
  readonly place: number;
  readonly domain: string;
  readonly failures: number;
}

const COLUMNS = `id, caller, tier, reservation, account_id AS "accountId", key_id AS "keyId",
  (extract(epoch FROM ends_at - clock_timestamp()) * 1000)::float8 AS "endsInMs"`;
const IS_OPEN = 'answer IS NULL AND error_code IS NULL';

/** All SQL on bulk checks. Times are PostgreSQL's: they are about processes, which share no other clock. */
@Injectable()
export class BulkCheckRepository {
  /** Whose the leases are that are taken here: this process's. */
  private readonly owner = randomUUID();

  constructor(private readonly database: Database) {}

  /** Whoever inserts it has the lease. */
  async insert(
    by: Caller,
    reservation: string,
    tokenHash: Buffer,
    seconds: number,
    names: readonly BulkName[],
  ): Promise<BulkCheck> {
    const { id: caller, tier } = by;
    const id = randomUUID();
    const [check] = await this.database.query<BulkCheck>(
      `WITH made AS (
         INSERT INTO bulk_check (id, token_hash, caller, tier, reservation, ends_at, leased_until, account_id, key_id, leased_by)
         VALUES ($1, $2, $3, $4, $5, clock_timestamp() + make_interval(secs => $6),
                 clock_timestamp() + make_interval(secs => $7), $9, $10, $11)
         RETURNING ${COLUMNS}
       ), named AS (
         INSERT INTO bulk_check_name (bulk_check, place, domain, answer, error_code, error_message)
         SELECT id, place, domain, answer, error->>'code', error->>'message'
           FROM made, jsonb_to_recordset($8::jsonb)
             AS name (place smallint, domain text, answer jsonb, error jsonb)
       )
       SELECT * FROM made`,
      [
        ...[id, tokenHash, caller, tier.name, reservation, seconds, LEASE_SECONDS],
        JSON.stringify(
          names.map(({ domain, answer, error }, place) => ({
            ...{ place, domain },
            ...(answer && { answer }),
            ...(error && { error }),
          })),
        ),
        ...[accountOf(by), chargedKeyOf(by), this.owner],
      ],
    );
    if (!check) throw new Error('an inserted bulk check has a row');
    return check;
  }

  /** @returns null for a token that is unknown, over, or another caller's */
  async find(tokenHash: Buffer, caller: string): Promise<{ id: string; isDone: boolean } | null> {
    const [row] = await this.database.query<{ id: string; isDone: boolean }>(
      `SELECT id, is_done AS "isDone" FROM bulk_check WHERE token_hash = $1 AND caller = $2`,
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
      error: BulkCheckError | null;
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

  /** Takes over those whose worker has died. @param limit how many at most */
  claim(limit: number): Promise<BulkCheck[]> {
    return this.database.query<BulkCheck>(
      `UPDATE bulk_check SET leased_by = $3, leased_until = clock_timestamp() + make_interval(secs => $2)
        WHERE id IN (
          SELECT id FROM bulk_check WHERE NOT is_done AND leased_until < clock_timestamp()
           ORDER BY leased_until LIMIT $1 FOR UPDATE SKIP LOCKED
        )
        RETURNING ${COLUMNS}`,
      [limit, LEASE_SECONDS, this.owner],
    );
  }

  /** @returns those that this process still has the lease of: where it stood still for longer, another one goes on */
  async renew(ids: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `UPDATE bulk_check SET leased_until = clock_timestamp() + make_interval(secs => $2)
        WHERE id = ANY ($1) AND leased_by = $3 RETURNING id`,
      [ids, LEASE_SECONDS, this.owner],
    );
    return rows.map(({ id }) => id);
  }

  /** Lets another process go on at once. */
  async release(ids: readonly string[]): Promise<void> {
    await this.database.query(
      `UPDATE bulk_check SET leased_until = clock_timestamp()
        WHERE id = ANY ($1) AND leased_by = $2 AND NOT is_done`,
      [ids, this.owner],
    );
  }

  async saveAnswer(id: string, place: number, answer: RegistryAnswer): Promise<void> {
    await this.database.query(
      `UPDATE bulk_check_name SET answer = $3 WHERE bulk_check = $1 AND place = $2 AND ${IS_OPEN}`,
      [id, place, JSON.stringify(answer)],
    );
  }

  /** @param maxFailures the name has this error after so many */
  async saveFailure(id: string, place: number, error: BulkCheckError, maxFailures: number): Promise<void> {
    await this.database.query(
      `UPDATE bulk_check_name
          SET failures = failures + 1,
              error_code = CASE WHEN failures + 1 >= $5 THEN $3 END,
              error_message = CASE WHEN failures + 1 >= $5 THEN $4 END
        WHERE bulk_check = $1 AND place = $2 AND ${IS_OPEN}`,
      [id, place, error.code, error.message, maxFailures],
    );
  }

  async closeOpen(id: string, { code, message }: BulkCheckError): Promise<void> {
    await this.database.query(
      `UPDATE bulk_check_name SET error_code = $2, error_message = $3 WHERE bulk_check = $1 AND ${IS_OPEN}`,
      [id, code, message],
    );
  }

  async countAnswered(id: string): Promise<number> {
    const [row] = await this.database.query<{ answered: number }>(
      'SELECT count(answer)::int AS answered FROM bulk_check_name WHERE bulk_check = $1',
      [id],
    );
    return row?.answered ?? 0;
  }

  async markDone(id: string): Promise<void> {
    await this.database.query('UPDATE bulk_check SET is_done = true WHERE id = $1', [id]);
  }

  async purge(): Promise<void> {
    await this.database.query(
      `DELETE FROM bulk_check WHERE ends_at < clock_timestamp() - make_interval(secs => $1) AND is_done`,
      [KEPT_SECONDS],
    );
  }
}

type AnswerTime = 'checkedAt' | 'registeredAt';
