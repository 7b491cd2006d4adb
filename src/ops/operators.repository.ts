import { Injectable } from '@nestjs/common';
import type { TierName } from '../config/tiers.js';
import { type ApiKey, WORKS } from '../access/api-key.repository.js';
import { Database, type Queryable } from '../db/database.js';
import type { AnswerOf, Import, IMPORT_STATES } from './answers.js';
import type { ChargedDay } from './caller-answers.js';

/** Days from one to another, both included, of one account or of all (null). */
export interface ChargedDays {
  readonly from: string;
  readonly to: string;
  readonly account: string | null;
}

type Charge = InstanceType<typeof ChargedDay>;
type Evidence = Omit<AnswerOf<'NameEvidence'>, 'ok' | 'domain' | 'answers_note'>;

/** A key, with whose it is. */
export type HeldKey = ApiKey & { readonly email: string; readonly works: boolean };

/** A subscription at the payment provider, with whose it is. */
interface HeldSubscription {
  readonly account: string;
  readonly email: string;
  readonly subscription: string;
  readonly tier: string | null;
  readonly isEnded: boolean;
  readonly happenedAt: Date;
  readonly accountTier: TierName;
}

const IN = `day BETWEEN $1::date AND $2::date AND ($3::uuid IS NULL OR usage_day.account_id = $3)`;

/** Statements that only operators need: accounts, keys, usage, and the evidence about a name. */
@Injectable()
export class OperatorsRepository {
  constructor(private readonly database: Database) {}

  /** The newest first. @param email null: of all accounts */
  async listKeys(email: string | null, limit: number): Promise<HeldKey[]> {
    return this.database.query<HeldKey>(
      `SELECT api_key.id, account.email, api_key.name, kind, scopes, start, tail, api_key.created_at AS "createdAt",
              expires_at AS "expiresAt", revoked_at AS "revokedAt", replaced_at AS "replacedAt",
              last_used_at AS "lastUsedAt", ${WORKS} AND account.disabled_at IS NULL AS works
         FROM api_key JOIN account ON account.id = account_id
        WHERE $1::text IS NULL OR account.email = lower($1)
        ORDER BY api_key.created_at DESC, api_key.id LIMIT $2`,
      [email, limit],
    );
  }

  /** The latest event first. */
  async listSubscriptions(limit: number): Promise<HeldSubscription[]> {
    return this.database.query<HeldSubscription & Record<string, unknown>>(
      `SELECT account_id AS account, email, subscription, payment_subscription.tier, is_ended AS "isEnded",
              happened_at AS "happenedAt", account.tier AS "accountTier"
         FROM payment_subscription JOIN account ON account.id = account_id
        ORDER BY happened_at DESC, subscription LIMIT $1`,
      [limit],
    );
  }

  async countAccounts(): Promise<{ all: number; disabled: number; working_keys: number }> {
    const [row] = await this.database.query<{ all: number; disabled: number; working_keys: number }>(
      `SELECT count(*)::int AS all, count(disabled_at)::int AS disabled,
              (SELECT count(*)::int FROM api_key WHERE ${WORKS}) AS working_keys
         FROM account`,
    );
    if (!row) throw new Error('an aggregate gave no row');
    return row;
  }

  async countBelongings(accountId: string): Promise<{ webhooks: number; sessions: number }> {
    const [row] = await this.database.query<{ webhooks: number; sessions: number }>(
      `SELECT (SELECT count(*)::int FROM webhook WHERE account_id = $1) AS webhooks,
              (SELECT count(*)::int FROM account_session WHERE account_id = $1 AND expires_at > now()) AS sessions`,
      [accountId],
    );
    if (!row) throw new Error('an aggregate gave no row');
    return row;
  }

  /** Ends the sessions as well. @returns whether it was not so before; null when there is no such account */
  async setDisabled(email: string, disabled: boolean, transaction: Queryable): Promise<boolean | null> {
    const [row] = await transaction.query<{ id: string; was: boolean }>(
      `SELECT id, disabled_at IS NOT NULL AS was FROM account WHERE email = lower($1) FOR UPDATE`,
      [email],
    );
    if (!row) return null;
    if (row.was === disabled) return false;
    await transaction.query(
      `UPDATE account SET disabled_at = CASE WHEN $2 THEN now() END, updated_at = now() WHERE id = $1`,
      [row.id, disabled],
    );
    if (disabled) await transaction.query('DELETE FROM account_session WHERE account_id = $1', [row.id]);
    return true;
  }

  /**
   * Ends a key for good. @returns the account it belongs to; null when there is no such key, or it was
   * revoked before
   */
  async revokeKey(id: string, transaction: Queryable): Promise<string | null> {
    const [row] = await transaction.query<{ account: string }>(
      `UPDATE api_key SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL RETURNING account_id AS account`,
      [id],
    );
    return row?.account ?? null;
  }

  async listCharged({ from, to, account }: ChargedDays, limit: number, offset: number): Promise<Charge[]> {
    return this.database.query<Charge & Record<string, unknown>>(
      `SELECT to_char(day, 'YYYY-MM-DD') AS day, account.id AS account, email, tier, key_id, api_key.name AS key_name,
              records::float8 AS records
         FROM usage_day JOIN account ON account.id = usage_day.account_id LEFT JOIN api_key ON api_key.id = key_id
        WHERE ${IN}
        ORDER BY usage_day.day, account.id, key_id NULLS LAST LIMIT $4 OFFSET $5`,
      [from, to, account, limit, offset],
    );
  }

  /** The sum of all pages. */
  async countCharged({ from, to, account }: ChargedDays): Promise<number> {
    const [row] = await this.database.query<{ records: number }>(
      `SELECT coalesce(sum(records), 0)::float8 AS records FROM usage_day
         JOIN account ON account.id = usage_day.account_id WHERE ${IN}`,
      [from, to, account],
    );
    return row?.records ?? 0;
  }

  /** All that is stored about one name, in one statement: an index finds each part except the samples. */
  async readEvidence(domain: string): Promise<Evidence> {
    const [row] = await this.database.query<{ evidence: Evidence }>(READ_EVIDENCE, [domain]);
    if (!row) throw new Error('a statement without FROM gave no row');
    return row.evidence;
  }
}

const one = (table: string) => `(SELECT to_jsonb(found) FROM ${table} AS found WHERE domain = $1)`;
const some = (columns: string, rows: string) =>
  `(SELECT coalesce(jsonb_agg(to_jsonb(found)), '[]') FROM (SELECT ${columns} FROM ${rows}) AS found)`;

const READ_EVIDENCE = `
  SELECT jsonb_build_object(
    'row', ${one('domain')},
    'registry_answer', ${one('registry_answer')},
    'answers', ${some(
      `asked_at, asked_at + took_ms * interval '1 ms' AS answered_at, source, verdict, status, parser,
       age_s AS age_seconds, shape, text`,
      `answers_about(ARRAY[$1]) JOIN kept_text ON kept_text.id = text_id ORDER BY asked_at DESC LIMIT 50`,
    )},
    'recheck', ${one('recheck')},
    'question_failure', ${one('question_failure')},
    'archive', ${one('domain_archive')},
    'events', ${some('number, type, occurred_at', 'domain_event WHERE domain = $1 ORDER BY number DESC LIMIT 200')},
    'samples', ${some('asked_at, stratum, outcome', 'truth_sample WHERE domain = $1 ORDER BY id DESC LIMIT 50')},
    'audit', ${some(
      'at, actor, action, reason',
      `audit_log WHERE subject = 'domain:' || $1 ORDER BY id DESC LIMIT 50`,
    )}
  ) AS evidence`;

type ImportDto = InstanceType<typeof Import>;
export type ImportReportDto = NonNullable<ImportDto['report']>;

/** An import that is to begin. */
interface NewImport {
  readonly id: string;
  readonly file: string;
  readonly bytes: number;
  readonly dryRun: boolean;
  readonly actor: string;
  readonly reason: string;
}

export interface ImportPlace {
  readonly step: string;
  readonly rows: number;
  readonly readBytes: number;
}

/** One that has not been touched for so long has lost its process. */
const LOST_AFTER = '60 seconds';
const MAX_LISTED = 50;
const KEPT = '30 days';

type Row = {
  id: string;
  file: string;
  bytes: number;
  dry_run: boolean;
  by: string;
  reason: string;
  started_at: Date;
  state: (typeof IMPORT_STATES)[number];
  step: string;
  rows: number;
  percent: number;
  problem: string | null;
  report: ImportReportDto | null;
  has_rejects: boolean;
};

const COLUMNS = `id, file, bytes::float8 AS bytes, dry_run, actor AS by, reason, started_at,
  CASE WHEN state = 'running' AND touched_at < clock_timestamp() - interval '${LOST_AFTER}'
       THEN 'interrupted' ELSE state END AS state,
  step, rows::float8 AS rows, floor(100 * read_bytes / greatest(bytes, 1))::int AS percent, problem, report,
  rejects IS NOT NULL AS has_rejects`;

/** Imports on record, so that whichever instance is asked knows how far one is. */
@Injectable()
export class OperatorImportRepository {
  constructor(private readonly database: Database) {}

  /**
   * Forgets old ones as well.
   *
   * @param also done in the same transaction, when it begins
   * @returns whether it may begin: one at a time
   */
  async begin(
    { id, file, bytes, dryRun, actor, reason }: NewImport,
    also: (transaction: Queryable) => Promise<void>,
  ): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      // Of two at once, the second sees the first.
      await transaction.query('LOCK TABLE operator_import IN SHARE ROW EXCLUSIVE MODE');
      const rows = await transaction.query(
        `WITH old AS (DELETE FROM operator_import WHERE started_at < clock_timestamp() - interval '${KEPT}')
       INSERT INTO operator_import (id, file, bytes, dry_run, actor, reason)
       SELECT $1, $2, $3, $4, $5, $6
        WHERE NOT EXISTS (SELECT FROM operator_import
                           WHERE state = 'running' AND touched_at >= clock_timestamp() - interval '${LOST_AFTER}')
       RETURNING id`,
        [id, file, bytes, dryRun, actor, reason],
      );
      if (rows.length > 0) await also(transaction);
      return rows.length > 0;
    });
  }

  async touch(id: string, { step, rows, readBytes }: ImportPlace): Promise<void> {
    await this.database.query(
      `UPDATE operator_import SET touched_at = clock_timestamp(), step = $2, rows = $3, read_bytes = $4
        WHERE id = $1 AND state = 'running'`,
      [id, step, rows, readBytes],
    );
  }

  async finish(
    id: string,
    report: ImportReportDto,
    rejects: Buffer | null,
    transaction: Queryable,
  ): Promise<void> {
    await transaction.query(
      `UPDATE operator_import
          SET state = 'done', step = 'done', rows = $4, read_bytes = bytes, report = $2, rejects = $3
        WHERE id = $1`,
      [id, JSON.stringify(report), rejects, report.read],
    );
  }

  async fail(id: string, problem: string, rejects: Buffer | null): Promise<void> {
    await this.database.query(
      `UPDATE operator_import SET state = 'failed', problem = $2, rejects = $3 WHERE id = $1`,
      [id, problem, rejects],
    );
  }

  /** The newest first. */
  async list(): Promise<ImportDto[]> {
    const rows = await this.database.query<Row>(
      `SELECT ${COLUMNS} FROM operator_import ORDER BY started_at DESC, id LIMIT ${MAX_LISTED}`,
    );
    return rows.map(toImport);
  }

  async find(id: string): Promise<ImportDto | null> {
    const [row] = await this.database.query<Row>(`SELECT ${COLUMNS} FROM operator_import WHERE id = $1`, [
      id,
    ]);
    return row ? toImport(row) : null;
  }

  /** CSV, packed with gzip. */
  async readRejects(id: string): Promise<Buffer | null> {
    const [row] = await this.database.query<{ rejects: Buffer | null }>(
      'SELECT rejects FROM operator_import WHERE id = $1',
      [id],
    );
    return row?.rejects ?? null;
  }
}

function toImport(row: Row): ImportDto {
  return { ...row, started_at: row.started_at.toISOString() };
}

/** Sessions of operators at the pages. */
@Injectable()
export class OperatorSessionRepository {
  constructor(private readonly database: Database) {}

  /** Begins a session, and deletes expired ones. */
  async begin(
    session: { readonly tokenHash: Buffer; readonly operator: string; readonly keyHash: string },
    now: Date,
    endsAt: Date,
  ): Promise<void> {
    await this.database.query(
      `WITH ended AS (DELETE FROM operator_session WHERE ends_at <= $5)
       INSERT INTO operator_session (token_hash, operator, key_hash, ends_at) VALUES ($1, $2, $3, $4)`,
      [session.tokenHash, session.operator, session.keyHash, endsAt, now],
    );
  }

  /** @returns with the time of the database; null for a session that has ended */
  async find(tokenHash: Buffer): Promise<{ operator: string; keyHash: string; now: Date } | null> {
    const [row] = await this.database.query<{ operator: string; keyHash: string; now: Date }>(
      `SELECT operator, key_hash AS "keyHash", now() AS now FROM operator_session
        WHERE token_hash = $1 AND ends_at > now()`,
      [tokenHash],
    );
    return row ?? null;
  }

  async end(tokenHash: Buffer): Promise<void> {
    await this.database.query('DELETE FROM operator_session WHERE token_hash = $1', [tokenHash]);
  }
}
