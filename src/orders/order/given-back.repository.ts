import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../db/database.js';
import type { Attempt } from '../registrar/port.js';
import { readAttempt, SealedRows } from './sealed-rows.repository.js';

/** How a wish for name servers ended: the name has them, or the registrar refused, perhaps for a reason to show. */
interface EndOfWish {
  readonly isDone?: boolean;
  readonly next?: readonly string[] | null;
  readonly reason?: string | null;
}

/** Registered names, which are given back or renewed, or get other name servers. */
@Injectable()
export class GivenBackRepository {
  constructor(
    private readonly database: Database,
    private readonly sealed: SealedRows,
  ) {}

  /** The attempt that registered the order. @throws {Error} without one, or when no key opens it */
  async readAttempt(orderId: string): Promise<{ attempt: Attempt; sentAt: Date | null }> {
    const [row] = await this.database.kept<{ id: string; sealed: Buffer; sentAt: Date | null }>(
      `SELECT id, sealed, cancel_sent_at AS "sentAt" FROM registration_attempt
        WHERE order_id = $1 AND ended_as = 'registered'`,
      [orderId],
    );
    if (!row) throw new Error(`no attempt registered the order ${orderId}`);
    return { attempt: readAttempt(this.sealed, row.sealed, row.id).attempt, sentAt: row.sentAt };
  }

  /** The same, also of an order that was executed late and kept. @throws {Error} */
  async readLast(orderId: string): Promise<Attempt> {
    const [row] = await this.database.kept<{ id: string; sealed: Buffer }>(
      `SELECT id, sealed FROM registration_attempt WHERE order_id = $1
        ORDER BY (ended_as = 'registered') DESC NULLS LAST, sent_at DESC LIMIT 1`,
      [orderId],
    );
    if (!row) throw new Error(`nothing was sent for the order ${orderId}`);
    return readAttempt(this.sealed, row.sealed, row.id).attempt;
  }

  /** Its deletion was sent, and not answered. @param at null: it deleted nothing */
  async noteSent({ id }: Attempt, at: Date | null): Promise<void> {
    await this.database.kept('UPDATE registration_attempt SET cancel_sent_at = $2 WHERE id = $1', [id, at]);
  }

  async noteWish(id: string, hosts: readonly string[], transaction: Queryable): Promise<void> {
    await transaction.kept('UPDATE registration_order SET wished_servers = $2 WHERE id = $1', [id, hosts]);
  }

  /** @param next the wish that stands instead @returns false where there is another wish since */
  async endWish(
    id: string,
    wished: readonly string[],
    { isDone = false, next = null, reason = null }: EndOfWish,
    on: Queryable = this.database,
  ): Promise<boolean> {
    const ended = await on.kept(
      `UPDATE registration_order
          SET name_servers = CASE WHEN $3 THEN wished_servers ELSE name_servers END, wished_servers = $4,
              reason = CASE WHEN $3 THEN NULL ELSE coalesce($5, reason) END
        WHERE id = $1 AND wished_servers = $2 RETURNING id`,
      [id, wished, isDone, next, reason],
    );
    return ended.length > 0;
  }

  /** Makes the last wish the wish again, where it differs from these. @returns whether it did */
  async wishAgain(id: string, sent: readonly string[], transaction: Queryable): Promise<boolean> {
    const again = await transaction.kept(
      `UPDATE registration_order SET wished_servers = coalesce(wished_servers, name_servers)
        WHERE id = $1 AND coalesce(wished_servers, name_servers) <> $2 RETURNING id`,
      [id, sent],
    );
    return again.length > 0;
  }
}
