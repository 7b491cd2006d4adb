import { Injectable } from '@nestjs/common';
import { Database } from '../../db/database.js';
import type { Attempt } from '../registrar/port.js';
import { readAttempt, SealedRows } from './sealed-rows.repository.js';

/** The attempts of registered names, which are given back or renewed. */
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
}
