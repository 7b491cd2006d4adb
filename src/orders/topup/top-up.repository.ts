import { Injectable } from '@nestjs/common';
import { Database, type Queryable, sqlList } from '../../db/database.js';
import { ORDERING_STOPS } from '../ledger/ordering-stops.repository.js';
import type { StopReason } from '../ledger/stop-reasons.js';
import { type CardNews, FINAL_DISPUTES, HARMLESS_DISPUTES } from './card-events.js';

export interface TopUp {
  readonly id: string;
  readonly accountId: string;
  readonly cents: number;
  readonly madeAt: Date;
  readonly checkoutUrl: string | null;
  /** When its page closes. */
  readonly endsAt: Date;
  readonly paidAt: Date | null;
  /** From when it can be spent; null before it is paid. */
  readonly availableAt: Date | null;
  /** Refunds of it that were not refused. */
  readonly refundedCents: number;
}

/** A payment of the provider, as it is known here. */
export interface KnownPayment {
  readonly bookedAt: Date | null;
  readonly topUpId: string | null;
  /** Null: it fits no top-up. */
  readonly accountId: string | null;
}

export interface CardRefund {
  readonly id: string;
  readonly topUpId: string;
  readonly accountId: string;
  readonly payment: string;
  readonly cents: number;
  readonly state: 'asked' | 'sent' | 'failed';
}

export interface CardDispute {
  readonly id: string;
  readonly payment: string;
  readonly accountId: string | null;
  readonly cents: number;
  readonly status: string;
  readonly openedAt: Date;
  readonly clearedAt: Date | null;
}

export type WaitingNews = Exclude<CardNews, { is: 'paid' }>;
type Row<Value> = Value & Record<string, unknown>;

/** Events that wait for their payment; a payment has a handful. */
const MAX_WAITING = 50;
const TOP_UP = `id, account_id AS "accountId", cents::float8 AS cents, made_at AS "madeAt",
  checkout_url AS "checkoutUrl", ends_at AS "endsAt", paid_at AS "paidAt", available_at AS "availableAt",
  (SELECT coalesce(sum(cents), 0)::float8 FROM card_refund AS refund
    WHERE refund.top_up_id = top_up.id AND refund.state <> 'failed') AS "refundedCents"`;
/** Of a top-up: its first hold had its id. */
const HOLD = `ledger_hold AS hold ON hold.id = coalesce(top_up.hold_id, top_up.id) AND hold.state = 'active'`;
/** Of a dispute that keeps its account from ordering. */
const FREEZES = `cleared_at IS NULL AND status NOT IN ${sqlList(HARMLESS_DISPUTES)}`;
/** @param account a column with the id of an account */
export function isFrozen(account: string): string {
  return `EXISTS (SELECT FROM card_dispute WHERE card_dispute.account_id = ${account} AND ${FREEZES})`;
}
/** Whether no order of an account may begin: {@link TopUpRepository.findBar} says why. */
export function isBarred(account: string): string {
  return `(EXISTS (SELECT FROM (${ORDERING_STOPS}) AS stop) OR ${isFrozen(account)})`;
}
const REFUND = `refund.id, refund.top_up_id AS "topUpId", top_up.account_id AS "accountId",
  payment.id AS payment, refund.cents::float8 AS cents, refund.state`;
const REFUND_FROM = `card_refund AS refund JOIN top_up ON top_up.id = refund.top_up_id
  JOIN card_payment AS payment ON payment.top_up_id = refund.top_up_id`;

@Injectable()
export class TopUpRepository {
  constructor(private readonly database: Database) {}

  async insert(
    topUp: Pick<TopUp, 'id' | 'accountId' | 'cents' | 'madeAt' | 'endsAt'>,
    key: string,
    transaction: Queryable,
  ): Promise<void> {
    const { id, accountId, cents, madeAt, endsAt } = topUp;
    await transaction.kept(
      `INSERT INTO top_up (id, account_id, idempotency_key, cents, made_at, ends_at) VALUES ($1, $2, $3, $4, $5, $6)`,
      [id, accountId, key, cents, madeAt, endsAt],
    );
  }

  /** One that was paid, and is not here any more. Without its account it stays unknown. */
  async restore(
    { id, accountId, cents, madeAt, endsAt }: Parameters<TopUpRepository['insert']>[0],
    transaction: Queryable,
  ): Promise<void> {
    await transaction.kept(
      `INSERT INTO top_up (id, account_id, idempotency_key, cents, made_at, ends_at)
       SELECT $1::uuid, id, 'restored:' || $1::uuid, $3::bigint, $4::timestamptz, $5::timestamptz
         FROM account WHERE id = $2 FOR KEY SHARE`,
      [id, accountId, cents, madeAt, endsAt],
    );
  }

  async findByKey(accountId: string, key: string, on?: Queryable): Promise<TopUp | null> {
    return this.one('account_id = $1 AND idempotency_key = $2', [accountId, key], on);
  }

  async lock(id: string, transaction: Queryable): Promise<TopUp | null> {
    const [, topUp] = await Promise.all([
      transaction.kept('SELECT FROM top_up WHERE id = $1 FOR NO KEY UPDATE', [id]),
      // A statement of its own: it sees the refunds that the lock waited for.
      this.one('id = $1', [id], transaction),
    ]);
    return topUp;
  }

  async find(id: string): Promise<TopUp | null> {
    return this.one('id = $1', [id]);
  }

  /** The newest first. */
  async list(accountId: string, limit: number): Promise<TopUp[]> {
    return this.database.kept<Row<TopUp>>(
      `SELECT ${TOP_UP} FROM top_up WHERE account_id = $1 ORDER BY made_at DESC, id LIMIT $2`,
      [accountId, limit],
    );
  }

  /** Paid and not refunded whole, the newest first. */
  async listRefundable(accountId: string): Promise<TopUp[]> {
    return this.database.kept<Row<TopUp>>(
      `SELECT * FROM (SELECT ${TOP_UP} FROM top_up WHERE account_id = $1 AND paid_at IS NOT NULL) AS paid
        WHERE "refundedCents" < cents ORDER BY "paidAt" DESC, id`,
      [accountId],
    );
  }

  async setCheckout(id: string, url: string): Promise<void> {
    await this.database.kept('UPDATE top_up SET checkout_url = $2 WHERE id = $1', [id, url]);
  }

  /** Where nothing has changed meanwhile. */
  async prolong({ id, endsAt }: Pick<TopUp, 'id' | 'endsAt'>, until: Date): Promise<void> {
    await this.database.kept(
      'UPDATE top_up SET ends_at = $3 WHERE id = $1 AND ends_at = $2 AND checkout_url IS NULL AND paid_at IS NULL',
      [id, endsAt, until],
    );
  }

  /** Cents since then that are paid, or may still be, and when the account paid first. */
  async readUse(
    accountId: string,
    since: Date,
    now: Date,
    on: Queryable,
  ): Promise<{ cents: number; firstPaidAt: Date | null }> {
    const [row] = await on.kept<{ cents: number; firstPaidAt: Date | null }>(
      `SELECT coalesce(sum(cents) FILTER (WHERE made_at > $2 AND (paid_at IS NOT NULL OR ends_at > $3)), 0)::float8 AS cents,
              min(paid_at) AS "firstPaidAt" FROM top_up WHERE account_id = $1`,
      [accountId, since, now],
    );
    return row ?? { cents: 0, firstPaidAt: null };
  }

  /** One request for top-ups of an account at a time, so that two do not pass one cap. */
  async lockAccount(accountId: string, transaction: Queryable): Promise<void> {
    await transaction.kept('SELECT id FROM account WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
  }

  /** Cents that are paid and cannot be spent yet, and from when all can. */
  async readWaiting(accountId: string, now: Date): Promise<{ cents: number; until: Date | null }> {
    const [row] = await this.database.kept<{ cents: number; until: Date | null }>(
      `SELECT coalesce(sum(hold.cents), 0)::float8 AS cents, max(available_at) AS until
         FROM top_up JOIN ${HOLD}
        WHERE account_id = $1 AND available_at > $2`,
      [accountId, now],
    );
    return row ?? { cents: 0, until: null };
  }

  async notePaid(id: string, paidAt: Date, availableAt: Date, transaction: Queryable): Promise<void> {
    await transaction.kept('UPDATE top_up SET paid_at = $2, available_at = $3 WHERE id = $1', [
      ...[id, paidAt, availableAt],
    ]);
  }

  /** The part of a top-up that cannot be spent yet. */
  async findHold(id: string, transaction: Queryable): Promise<{ id: string; cents: number } | null> {
    const [row] = await transaction.kept<{ id: string; cents: number }>(
      `SELECT hold.id, hold.cents::float8 AS cents FROM top_up JOIN ${HOLD} WHERE top_up.id = $1`,
      [id],
    );
    return row ?? null;
  }

  async setHold(id: string, hold: string, transaction: Queryable): Promise<void> {
    await transaction.kept('UPDATE top_up SET hold_id = $2 WHERE id = $1', [id, hold]);
  }

  /** Locks the payment until the transaction ends, so that its events are applied one after the other. */
  async lockPayment(id: string, now: Date, transaction: Queryable): Promise<KnownPayment> {
    const [row] = await transaction.kept<Row<KnownPayment>>(
      `INSERT INTO card_payment AS known (id, seen_at) VALUES ($1, $2)
       ON CONFLICT (id) DO UPDATE SET seen_at = known.seen_at
       RETURNING booked_at AS "bookedAt", top_up_id AS "topUpId",
                 (SELECT account_id FROM top_up WHERE top_up.id = known.top_up_id) AS "accountId"`,
      [id, now],
    );
    if (!row) throw new Error('a payment that was seen has a row');
    return row;
  }

  /** @returns the earlier events about it, in the order in which they came */
  async book(id: string, topUpId: string | null, now: Date, transaction: Queryable): Promise<WaitingNews[]> {
    const [row] = await transaction.kept<{ waiting: WaitingNews[] }>(
      `UPDATE card_payment AS payment SET booked_at = $3, top_up_id = $2, waiting = '[]'
         FROM card_payment AS before WHERE payment.id = $1 AND before.id = $1 RETURNING before.waiting`,
      [id, topUpId, now],
    );
    return row?.waiting ?? [];
  }

  async wait(news: WaitingNews, transaction: Queryable): Promise<void> {
    await transaction.kept(
      `UPDATE card_payment SET waiting = waiting || $2::jsonb
        WHERE id = $1 AND NOT waiting @> $2::jsonb AND jsonb_array_length(waiting) < ${MAX_WAITING}`,
      [news.payment, JSON.stringify([news])],
    );
  }

  /** Payments of other products, whose disputes and refunds were heard of. */
  async deleteUnbooked(before: Date): Promise<void> {
    await this.database.kept('DELETE FROM card_payment WHERE booked_at IS NULL AND seen_at < $1', [before]);
  }

  /** What a dispute came to stays. @returns whether it is new */
  async noteDispute(
    {
      id,
      payment,
      cents,
      status,
    }: Pick<Extract<CardNews, { is: 'dispute' }>, 'id' | 'payment' | 'cents' | 'status'>,
    accountId: string | null,
    now: Date,
    transaction: Queryable,
  ): Promise<boolean> {
    const [row] = await transaction.kept<{ isNew: boolean }>(
      `INSERT INTO card_dispute AS known (id, payment, account_id, cents, status, opened_at)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (id) DO UPDATE SET status = excluded.status
        WHERE known.status NOT IN ${sqlList(FINAL_DISPUTES)}
       RETURNING xmax = 0 AS "isNew"`,
      [id, payment, accountId, cents ?? 0, status, now],
    );
    return row?.isNew ?? false;
  }

  /** Whether a dispute keeps the account from ordering. */
  async isFrozen(accountId: string, on: Queryable = this.database): Promise<boolean> {
    const [row] = await on.kept<{ is: boolean }>(`SELECT ${isFrozen('$1')} AS is`, [accountId]);
    return row?.is ?? false;
  }

  /** What keeps an account from ordering: a stop for all, or a dispute of its own; null: nothing does. */
  async findBar(accountId: string, on: Queryable = this.database): Promise<StopReason | 'frozen' | null> {
    const [row] = await on.kept<{ bar: StopReason | 'frozen' }>(
      `SELECT reason AS bar FROM (${ORDERING_STOPS}) AS stop
       UNION ALL SELECT 'frozen' WHERE ${isFrozen('$1')}`,
      [accountId],
    );
    return row?.bar ?? null;
  }

  /** @returns whether there was a dispute that kept it */
  async thaw(accountId: string, now: Date, transaction: Queryable): Promise<boolean> {
    const rows = await transaction.kept(
      `UPDATE card_dispute SET cleared_at = $2 WHERE account_id = $1 AND ${FREEZES} RETURNING id`,
      [accountId, now],
    );
    return rows.length > 0;
  }

  /** The newest first. */
  async listDisputes(limit: number): Promise<CardDispute[]> {
    return this.database.kept<Row<CardDispute>>(
      `SELECT id, payment, account_id AS "accountId", cents::float8 AS cents, status, opened_at AS "openedAt",
              cleared_at AS "clearedAt"
         FROM card_dispute ORDER BY opened_at DESC, id LIMIT $1`,
      [limit],
    );
  }

  async insertRefund(
    refund: Pick<CardRefund, 'id' | 'topUpId' | 'cents'>,
    { key, by, at }: { readonly key: string; readonly by: string; readonly at: Date },
    transaction: Queryable,
  ): Promise<void> {
    await transaction.kept(
      `INSERT INTO card_refund (id, top_up_id, idempotency_key, cents, asked_by, asked_at)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [refund.id, refund.topUpId, key, refund.cents, by, at],
    );
  }

  async findRefund(id: string): Promise<CardRefund | null> {
    return this.oneRefund('refund.id = $1', [id], this.database);
  }

  async findRefundByKey(
    topUpId: string,
    key: string,
    on: Queryable = this.database,
  ): Promise<CardRefund | null> {
    return this.oneRefund('refund.top_up_id = $1 AND refund.idempotency_key = $2', [topUpId, key], on);
  }

  async lockRefund(id: string, transaction: Queryable): Promise<CardRefund | null> {
    return this.oneRefund('refund.id::text = $1 FOR NO KEY UPDATE OF refund', [id], transaction);
  }

  async setRefundState(id: string, state: CardRefund['state'], transaction: Queryable): Promise<void> {
    await transaction.kept('UPDATE card_refund SET state = $2 WHERE id = $1', [id, state]);
  }

  private async oneRefund(where: string, parameters: unknown[], on: Queryable): Promise<CardRefund | null> {
    const [row] = await on.kept<Row<CardRefund>>(
      `SELECT ${REFUND} FROM ${REFUND_FROM} WHERE ${where}`,
      parameters,
    );
    return row ?? null;
  }

  private async one(
    where: string,
    parameters: readonly unknown[],
    on: Queryable = this.database,
  ): Promise<TopUp | null> {
    const [row] = await on.kept<Row<TopUp>>(`SELECT ${TOP_UP} FROM top_up WHERE ${where}`, parameters);
    return row ?? null;
  }
}
