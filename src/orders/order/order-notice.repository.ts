import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../db/database.js';
import type { AccountEventType } from '../../notify/webhooks/account-events.js';
import type { OrderState } from './order-states.js';

/** What an owner is to be told of an order. */
export interface OrderNotice {
  readonly id: string;
  readonly orderId: string;
  readonly accountId: string;
  readonly type: AccountEventType;
  /** Of the order when it happened. */
  readonly state: OrderState;
  readonly reason: string | null;
  readonly at: Date;
  /** Whether webhooks have it. */
  readonly isHandedOver: boolean;
  readonly failures: number;
  /** Where it is mailed to; null while the account is disabled. */
  readonly email: string | null;
}

/** An order that its customer or a mandate approves within this time is not told as waiting. */
const APPROVED_WITHIN_SECONDS = 10;

export type NewNotice = Pick<OrderNotice, 'orderId' | 'type' | 'state' | 'reason' | 'at'>;

/** All SQL on notices of orders: a queue, whose rows are deleted once they were told. */
@Injectable()
export class OrderNoticeRepository {
  constructor(private readonly database: Database) {}

  /** In the transaction of the change. Without the account there is no notice. */
  async insert({ orderId, type, state, reason, at }: NewNotice, transaction: Queryable): Promise<void> {
    await transaction.query(
      `INSERT INTO order_notice (order_id, account_id, type, state, reason, at, due_at)
       SELECT registration_order.id, account.id, $2, $3, $4, $5,
              $5::timestamptz + make_interval(secs => CASE $3::text WHEN 'awaiting_approval' THEN ${APPROVED_WITHIN_SECONDS} ELSE 0 END)
         FROM registration_order JOIN account ON account.id = account_id WHERE registration_order.id = $1`,
      [orderId, type, state, reason, at],
    );
  }

  /** Those of orders that wait for no person any more. */
  async deleteApproved(now: Date): Promise<void> {
    await this.database.query(
      `DELETE FROM order_notice USING registration_order AS placed
        WHERE placed.id = order_id AND order_notice.state = 'awaiting_approval' AND placed.state <> 'awaiting_approval'
          AND due_at <= $1`,
      [now],
    );
  }

  /** In the order in which they happened. */
  async listDue(now: Date, limit: number): Promise<OrderNotice[]> {
    return this.database.query<OrderNotice & Record<string, unknown>>(
      `SELECT order_notice.id, order_id AS "orderId", account_id AS "accountId", type, state, reason, at, failures,
              is_handed_over AS "isHandedOver", CASE WHEN disabled_at IS NULL THEN email END AS email
         FROM order_notice JOIN account ON account.id = account_id
        WHERE due_at <= $1 ORDER BY at, order_notice.id LIMIT $2`,
      [now, limit],
    );
  }

  /** @returns false where webhooks have it already */
  async noteHandedOver(id: string, transaction: Queryable): Promise<boolean> {
    const rows = await transaction.query(
      'UPDATE order_notice SET is_handed_over = true WHERE id = $1 AND NOT is_handed_over RETURNING id',
      [id],
    );
    return rows.length > 0;
  }

  async postpone(id: string, dueAt: Date): Promise<void> {
    await this.database.query('UPDATE order_notice SET failures = failures + 1, due_at = $2 WHERE id = $1', [
      ...[id, dueAt],
    ]);
  }

  async delete(id: string): Promise<void> {
    await this.database.query('DELETE FROM order_notice WHERE id = $1', [id]);
  }
}
