import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../db/database.js';
import type { AttemptEnd } from '../orders/order/order-states.js';
import type { Order } from '../orders/order/order.repository.js';

export interface AttemptRow {
  readonly reference: string;
  readonly sentAt: Date;
  readonly sends: number;
  readonly asks: number;
  readonly endedAs: AttemptEnd | null;
  readonly executedLateAt: Date | null;
}

export interface CreditRow {
  readonly id: string;
  readonly account: string;
  readonly cents: number;
  readonly reason: string;
  readonly askedBy: string;
  readonly askedAt: Date;
}

type Row<Value> = Value & Record<string, unknown>;
const CREDIT = `id, account_id AS account, cents::float8 AS cents, reason, asked_by AS "askedBy", asked_at AS "askedAt"`;
/** Rows of a list. */
const SHOWN = 100;

/** What operators see of orders and their money. */
@Injectable()
export class OperatorOrdersRepository {
  constructor(private readonly database: Database) {}

  /** The newest first. */
  async listAttempts({ id }: Pick<Order, 'id'>): Promise<AttemptRow[]> {
    return this.database.query<Row<AttemptRow>>(
      `SELECT cltrid AS reference, sent_at AS "sentAt", sends, asks, ended_as AS "endedAs",
              executed_late_at AS "executedLateAt"
         FROM registration_attempt WHERE order_id = $1 ORDER BY sent_at DESC LIMIT ${SHOWN}`,
      [id],
    );
  }

  async readBalances(): Promise<{ kind: string; accounts: number; balance: number; held: number }[]> {
    return this.database.query(
      `SELECT kind, count(*)::int AS accounts, sum(balance_cents)::float8 AS balance, sum(held_cents)::float8 AS held
         FROM ledger_account GROUP BY kind ORDER BY kind`,
    );
  }

  /** So that two credits at once are counted together. @returns whether there is one */
  async lockAccount(id: string, transaction: Queryable): Promise<boolean> {
    const rows = await transaction.query('SELECT id FROM account WHERE id = $1 FOR NO KEY UPDATE', [id]);
    return rows.length > 0;
  }

  /** Cents credited since then without a second operator. */
  async readBookedAlone(account: string, since: Date, transaction: Queryable): Promise<number> {
    const [row] = await transaction.query<{ cents: number }>(
      `SELECT coalesce(sum(abs(cents)), 0)::float8 AS cents FROM operator_credit
        WHERE account_id = $1 AND booked_at > $2 AND booked_by = asked_by`,
      [account, since],
    );
    return row?.cents ?? 0;
  }

  async insertCredit(credit: CreditRow, transaction: Queryable): Promise<void> {
    const { id, account, cents, reason, askedBy, askedAt } = credit;
    await transaction.query(
      `INSERT INTO operator_credit (id, account_id, cents, reason, asked_by, asked_at) VALUES ($1, $2, $3, $4, $5, $6)`,
      [id, account, cents, reason, askedBy, askedAt],
    );
  }

  /** @returns whether it is booked; null without such a credit */
  async isCreditBooked(id: string): Promise<boolean | null> {
    const [row] = await this.database.query<{ isBooked: boolean }>(
      `SELECT booked_at IS NOT NULL AS "isBooked" FROM operator_credit WHERE id = $1`,
      [id],
    );
    return row?.isBooked ?? null;
  }

  /** Until the transaction ends. */
  async lockWaitingCredit(id: string, transaction: Queryable): Promise<CreditRow | null> {
    const [row] = await transaction.query<Row<CreditRow>>(
      `SELECT ${CREDIT} FROM operator_credit WHERE id = $1 AND booked_at IS NULL FOR UPDATE`,
      [id],
    );
    return row ?? null;
  }

  async noteBooked(id: string, by: string, at: Date, transaction: Queryable): Promise<void> {
    await transaction.query('UPDATE operator_credit SET booked_by = $2, booked_at = $3 WHERE id = $1', [
      id,
      by,
      at,
    ]);
  }

  async listWaitingCredits(): Promise<CreditRow[]> {
    return this.database.query<Row<CreditRow>>(
      `SELECT ${CREDIT} FROM operator_credit WHERE booked_at IS NULL ORDER BY asked_at LIMIT ${SHOWN}`,
    );
  }
}
