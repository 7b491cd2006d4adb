import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../db/database.js';
import { WorkQueue } from '../../work/work-queue.js';
import { Ledger } from '../ledger/ledger.repository.js';
import { type Change, OrderRepository, type OrderThat } from './order.repository.js';
import { saleOf } from './order-bookings.js';

export type OrderEnd = 'registered' | 'failed' | 'lost';

/** Ends an order that was sent, and its money with it: by the registrar's word, or by an operator's. */
@Injectable()
export class OrderEnds {
  constructor(
    private readonly orders: OrderRepository,
    private readonly ledger: Ledger,
    private readonly queue: WorkQueue,
  ) {}

  /** Of a locked order. Orders that waited for the name go on. */
  async end(
    order: OrderThat<'live'>,
    to: OrderEnd,
    change: Change,
    now: Date,
    transaction: Queryable,
  ): Promise<void> {
    const { id, domain } = order;
    await this.orders.move(order, to, now, transaction, change);
    await this.orders.endAttempt(id, to, now, transaction);
    if (order.renews !== null && change.expiresAt)
      await this.orders.extend(order.renews, change.expiresAt, transaction);
    if (to === 'registered') await this.ledger.capture(transaction, id, saleOf(order, now));
    else await this.ledger.release(transaction, id, now);
    const waiting = await this.orders.listWaiting(domain, transaction);
    const keys = waiting.map((key) => ({ key }));
    await this.queue.wake(transaction, 'registration', keys, now);
  }
}
