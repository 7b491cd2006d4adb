import type { Acceptance } from '../order/agreements.js';
import { Injectable } from '@nestjs/common';
import { WORKS } from '../../access/api-key.repository.js';
import { Database, type Queryable } from '../../db/database.js';
import type { Mandate, Program } from './mandate.js';

/** A key or an app, as its owner knows it. */
export interface NamedProgram {
  readonly id: string;
  readonly name: string;
}

export type NewMandate = Omit<Mandate, 'endedAt' | 'spentCents'>;

const COLUMNS = `id, account_id AS "accountId", registrant_id AS "registrantId", holder, order_cents::float8 AS "orderCents",
  month_cents::float8 AS "monthCents", suffixes, key_ids AS "keyIds", app_ids AS "appIds",
  takes_unknown AS "takesUnknown", expires_at AS "expiresAt", ended_at AS "endedAt", made_at AS "madeAt",
  jsonb_build_object('agreements', accepted, 'by', accepted_by, 'from', accepted_from) AS acceptance,
  accepted_at AS "acceptedAt"`;
/** Triggers of orders and of their holds count it; the nightly proof of the ledger counts it again. */
const SPENT = `coalesce((SELECT cents::float8 FROM mandate_month
    WHERE mandate_id = mandate.id AND month = mandate_month_of($1::timestamptz)), 0)`;

type Row = Omit<Mandate, 'acceptance'> & {
  readonly acceptance: Omit<Acceptance, 'at'>;
  readonly acceptedAt: Date;
} & Record<string, unknown>;

/** Mandates, with what the ledger has of their month. */
@Injectable()
export class MandateRepository {
  constructor(private readonly database: Database) {}

  /** @returns false where the account has `most` already that have not ended */
  async insert(mandate: NewMandate, most: number, transaction: Queryable): Promise<boolean> {
    const { agreements, at, by, from } = mandate.acceptance;
    // Two forms at once would each see room for one more.
    await transaction.kept('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `mandates of ${mandate.accountId}`,
    ]);
    const rows = await transaction.kept(
      `INSERT INTO mandate (id, account_id, registrant_id, order_cents, month_cents, suffixes, key_ids, app_ids,
                            takes_unknown, expires_at, made_at, accepted, accepted_at, accepted_by, accepted_from,
                            holder)
       SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $17
        WHERE (SELECT count(*) FROM mandate WHERE account_id = $2 AND ended_at IS NULL AND expires_at > $11) < $16
       RETURNING id`,
      [
        ...[mandate.id, mandate.accountId, mandate.registrantId, mandate.orderCents, mandate.monthCents],
        ...[mandate.suffixes, mandate.keyIds, mandate.appIds, mandate.takesUnknown, mandate.expiresAt],
        ...[mandate.madeAt, JSON.stringify(agreements), at, by, from, most, mandate.holder],
      ],
    );
    return rows.length > 0;
  }

  /** The newest first. */
  async list(accountId: string, now: Date, limit: number): Promise<Mandate[]> {
    return this.many('account_id = $2 ORDER BY made_at DESC, id LIMIT $3', [now, accountId, limit]);
  }

  /** The program's mandates that have not ended, the largest limit first. */
  async listFor(
    accountId: string,
    program: Program,
    now: Date,
    on: Queryable = this.database,
  ): Promise<Mandate[]> {
    return this.many(...usable(accountId, program, now), on);
  }

  /** The same, locked: two orders at once cannot both spend the rest of a month. */
  async lockFor(accountId: string, program: Program, now: Date, transaction: Queryable): Promise<Mandate[]> {
    // A statement of its own: one that waited for the lock would see the month as it was before the wait.
    const [, mandates] = await Promise.all([
      transaction.kept(
        'SELECT FROM mandate WHERE account_id = $1 AND ended_at IS NULL ORDER BY id FOR NO KEY UPDATE',
        [accountId],
      ),
      this.listFor(accountId, program, now, transaction),
    ]);
    return mandates;
  }

  /** @returns false where the account has no such mandate that could still be used */
  async end(accountId: string, id: string, at: Date): Promise<boolean> {
    const rows = await this.database.kept(
      'UPDATE mandate SET ended_at = $3 WHERE account_id = $1 AND id = $2 AND ended_at IS NULL RETURNING id',
      [accountId, id, at],
    );
    return rows.length > 0;
  }

  /** @returns false where the account has no such mandate that could still be used */
  async accept(
    accountId: string,
    id: string,
    { agreements, at, by, from }: Acceptance,
    transaction: Queryable,
  ): Promise<boolean> {
    const rows = await transaction.kept(
      `UPDATE mandate SET accepted = $3, accepted_at = $4, accepted_by = $5, accepted_from = $6
        WHERE account_id = $1 AND id = $2 AND ended_at IS NULL RETURNING id`,
      [accountId, id, JSON.stringify(agreements), at, by, from],
    );
    return rows.length > 0;
  }

  /** The keys of an account that may place orders, and its connected apps. */
  async listPrograms(accountId: string): Promise<{ keys: NamedProgram[]; apps: NamedProgram[] }> {
    const keys = await this.database.kept<NamedProgram & Record<string, unknown>>(
      `SELECT id::text, name FROM api_key
        WHERE account_id = $1 AND kind <> 'test' AND 'orders:place' = ANY (scopes) AND ${WORKS} ORDER BY created_at, id`,
      [accountId],
    );
    const apps = await this.database.kept<NamedProgram & Record<string, unknown>>(
      `SELECT client_id AS id, oauth_client.name FROM oauth_consent JOIN oauth_client USING (client_id)
        WHERE oauth_consent.account_id = $1 ORDER BY oauth_consent.created_at, client_id`,
      [accountId],
    );
    return { keys, apps };
  }

  /** The client id of the app that has this access token. */
  async findApp(tokenId: string): Promise<string | null> {
    const [row] = await this.database.kept<{ app: string }>(
      'SELECT client_id AS app FROM oauth_access_token WHERE id = $1',
      [tokenId],
    );
    return row?.app ?? null;
  }

  private async many(
    where: string,
    parameters: readonly unknown[],
    on: Queryable = this.database,
  ): Promise<Mandate[]> {
    const rows = await on.kept<Row>(
      `SELECT ${COLUMNS}, ${SPENT} AS "spentCents" FROM mandate WHERE ${where}`,
      parameters,
    );
    return rows.map(({ acceptance, acceptedAt, ...mandate }) => ({
      ...mandate,
      acceptance: { ...acceptance, at: acceptedAt },
    }));
  }
}

/** The program's mandates that have not ended, the largest limit first. */
function usable(accountId: string, program: Program, now: Date): [where: string, parameters: unknown[]] {
  const [column, value] = 'key' in program ? ['key_ids', program.key] : ['app_ids', program.app];
  const where = `account_id = $2 AND $3 = ANY (${column}) AND ended_at IS NULL AND expires_at > $1
        ORDER BY order_cents DESC, made_at, id`;
  return [where, [now, accountId, value]];
}
