import { Injectable } from '@nestjs/common';
import { Database } from '../../db/database.js';
import type { Attempt } from '../registrar/port.js';
import { readAttempt, SealedRows } from './sealed-rows.repository.js';

/** The attempts of names that are given back. */
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

  /** Before the first byte leaves. @param at null: the registrar refused it, and nothing was changed */
  async noteSent({ id }: Attempt, at: Date | null): Promise<void> {
    await this.database.kept('UPDATE registration_attempt SET cancel_sent_at = $2 WHERE id = $1', [id, at]);
  }
}
