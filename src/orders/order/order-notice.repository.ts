import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../db/database.js';
import type { AccountEventType } from '../../notify/webhooks/account-events.js';
import { BY_PROGRAM, type OrderState } from './order-states.js';

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
  /** Whether it asks for an approval that its order waits for no more. */
  readonly isOver: boolean;
  /** Where it is mailed to; null while the account is disabled, and for what its person did, saw or was mailed at once. */
  readonly email: string | null;
}

/** An order that its customer or a mandate approves within this time is not told as waiting. */
const APPROVED_WITHIN = `interval '10 s'`;

export type NewNotice = Pick<OrderNotice, 'orderId' | 'type' | 'reason' | 'at'>;

/** Of rows of orders, to be written with their change. Without the account there is no notice. */
export function noticesOf(orders: string, type: string, reason: string, at: string, isSeen = false): string {
  return `INSERT INTO order_notice (order_id, account_id, type, state, reason, at, is_seen, due_at)
       SELECT told.id, account.id, ${type}::text, told.state, ${reason}, ${at}::timestamptz, ${isSeen},
              ${at}::timestamptz
              + CASE told.state WHEN 'awaiting_approval' THEN ${APPROVED_WITHIN} ELSE interval '0' END
         FROM ${orders} AS told JOIN account ON account.id = told.account_id`;
}

/** All SQL on notices of orders: a queue, whose rows are deleted once they were told. */
@Injectable()
export class OrderNoticeRepository {
  constructor(private readonly database: Database) {}

  async insert({ orderId, type, reason, at }: NewNotice, transaction: Queryable): Promise<void> {
    await transaction.kept(`${noticesOf('registration_order', '$2', '$3::text', '$4')} WHERE told.id = $1`, [
      orderId,
      type,
      reason,
      at,
    ]);
  }

  /** In the order in which they happened. */
  async listDue(now: Date, limit: number): Promise<OrderNotice[]> {
    return this.database.kept<OrderNotice & Record<string, unknown>>(
      `SELECT told.id, order_id AS "orderId", told.account_id AS "accountId", type, told.state, told.reason, at, failures,
              is_handed_over AS "isHandedOver", told.state = 'awaiting_approval' AND placed.state <> told.state AS "isOver",
              CASE WHEN disabled_at IS NULL AND NOT is_seen
                    AND (told.state <> 'awaiting_approval' OR placed_by ~ '${BY_PROGRAM}') THEN email END AS email
         FROM order_notice AS told JOIN account ON account.id = told.account_id
         JOIN registration_order AS placed ON placed.id = order_id
        WHERE due_at <= $1 ORDER BY at, told.id LIMIT $2`,
      [now, limit],
    );
  }

  /** In the transaction that makes their deliveries. @returns the ids of notices that had none */
  async noteHandedOver(ids: readonly string[], transaction: Queryable): Promise<string[]> {
    const rows = await transaction.kept<{ id: string }>(
      'UPDATE order_notice SET is_handed_over = true WHERE id = ANY ($1) AND NOT is_handed_over RETURNING id',
      [ids],
    );
    return rows.map(({ id }) => id);
  }

  /** The link that approves the order. */
  async noteMailed({ id, accountId }: { readonly id: string; readonly accountId: string }): Promise<void> {
    await this.database.kept(
      `UPDATE order_notice SET is_seen = true
        WHERE account_id = $1 AND order_id = $2 AND state = 'awaiting_approval'`,
      [accountId, id],
    );
  }

  async postpone(id: string, dueAt: Date): Promise<void> {
    await this.database.kept('UPDATE order_notice SET failures = failures + 1, due_at = $2 WHERE id = $1', [
      ...[id, dueAt],
    ]);
  }

  async delete(ids: readonly string[], on: Queryable = this.database): Promise<void> {
    // An array in sight would be planned each time.
    await on.kept('DELETE FROM order_notice WHERE id = ANY (ARRAY(SELECT unnest($1::uuid[])))', [ids]);
  }
}
