import { Injectable } from '@nestjs/common';
import { Clock, Database, type Queryable } from '../../db/database.js';
import { t } from '../../texts/texts.js';
import { WorkQueue } from '../../work/work-queue.js';
import { Ledger } from '../ledger/ledger.repository.js';
import { RegistrarStateRepository } from '../registrar/registrar-state.repository.js';
import { saleOf } from './order-bookings.js';
import { endOfTerm } from './order-ends.js';
import { type Order, OrderRepository } from './order.repository.js';
import { RenewalRepository } from './renewal.repository.js';
import { ReconcileRepository } from './reconcile.repository.js';
import { balanceShort } from '../ledger/refusals.js';
import { orderClosed } from './order-words.js';

/**
 * Sells what a registrar executed after its order had ended, as its customer wrote that it wants it. By nothing but an
 * operator: the order promised that nothing is charged.
 */
@Injectable()
export class LateSales {
  constructor(
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly ledger: Ledger,
    private readonly orders: OrderRepository,
    private readonly renewals: RenewalRepository,
    private readonly rows: ReconcileRepository,
    private readonly state: RegistrarStateRepository,
    private readonly queue: WorkQueue,
  ) {}

  /**
   * @param record writes the audit log, in the transaction of the sale
   * @returns false: it was sold before
   * @throws {ApiError} order_closed, balance_short
   */
  async keep(order: Order, record: (transaction: Queryable) => Promise<unknown>): Promise<boolean> {
    const { id, accountId, domain, registrar, renews, totalCents } = order;
    const wasLate = Boolean((await this.orders.readProgress(id))?.executedLateAt);
    const now = await this.clock.now();
    return this.database.transaction(async (transaction) => {
      const locked = await this.orders.lock(id, transaction);
      await record(transaction);
      if (locked?.state === 'registered' && wasLate) return false;
      const kind = renews === null ? 'unknown_here' : 'expiry';
      if (renews !== null) await this.orders.lock(renews, transaction);
      const late = await this.rows.findFound(order, transaction);
      const isOpen = await this.state.endFinding({ registrar, kind, subject: domain }, transaction);
      // A later renewal that was paid has taken the end that this one gave its name.
      const isExplained = late?.knownEnd && locked?.expiresAt && locked.expiresAt <= late.knownEnd;
      if (
        !late?.attempt ||
        !isOpen ||
        isExplained ||
        (locked?.state !== 'failed' && locked?.state !== 'lost')
      )
        throw orderClosed('nothingLate');
      const sale = saleOf(order, now);
      await this.ledger.lock(transaction, [...sale.entries, { kind: 'receivable', accountId }]);
      const { freeCents } = await this.ledger.balanceOf(accountId, transaction);
      if (freeCents < totalCents) throw balanceShort(freeCents, totalCents);
      if (!(await this.ledger.post(transaction, sale))) throw new Error(`the order ${id} was paid already`);
      const expiresAt =
        renews === null
          ? endOfTerm(order, order.expiresAt, now)
          : await this.renewals.extend(renews, order.expiresAt, order.years, transaction);
      const reason = t.orders.reasons.kept;
      await this.orders.move(locked, 'registered', now, transaction, { reason, expiresAt });
      await this.rows.noteKept(late.attempt.id, transaction);
      await this.queue.wake(transaction, 'registration', [{ key: id }], now);
      return true;
    });
  }
}
