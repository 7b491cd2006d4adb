import { Injectable, Logger } from '@nestjs/common';
import type { Queryable } from '../../db/database.js';
import { t } from '../../texts/texts.js';
import { Ledger } from '../ledger/ledger.repository.js';
import { type Change, type Order, OrderRepository, type OrderThat } from './order.repository.js';
import { RenewalRepository } from './renewal.repository.js';
import { reversalOf, saleOf } from './order-bookings.js';

export type OrderEnd = 'registered' | 'failed' | 'lost';

/** Ends an order that was sent, and its money with it: by the registrar's word, or by an operator's. */
@Injectable()
export class OrderEnds {
  private readonly logger = new Logger('Orders');

  constructor(
    private readonly orders: OrderRepository,
    private readonly renewals: RenewalRepository,
    private readonly ledger: Ledger,
  ) {}

  /** Of a locked order. Orders that waited for the name go on. @returns it as it is then */
  async end(
    order: OrderThat<'live'>,
    to: OrderEnd,
    change: Change,
    now: Date,
    transaction: Queryable,
  ): Promise<Order> {
    const told = change.expiresAt ?? null;
    const expiresAt = to === 'registered' ? await this.endOf(order, told, now, transaction) : told;
    const [ended] = await Promise.all([
      this.orders.move(order, to, now, transaction, { ...change, expiresAt }),
      this.settle(order, to, now, transaction),
      this.orders.wakeWaiting(order.domain, now, transaction),
    ]);
    return ended;
  }

  private async endOf(order: Order, told: Date | null, now: Date, transaction: Queryable) {
    const { id, renews, years } = order;
    const end =
      renews === null
        ? endOfTerm(order, told, now)
        : await this.renewals.extend(renews, told, years, transaction);
    if (told && end?.getTime() !== told.getTime())
      this.logger.warn(
        `The order ${id}: the registrar told ${told.toISOString()}, which is no end of its term`,
      );
    return end;
  }

  private settle(order: Order, to: OrderEnd, now: Date, transaction: Queryable): Promise<unknown> {
    if (order.cancelAskedAt) return this.endGivingBack(order, to, now, transaction);
    return to === 'registered'
      ? this.ledger.capture(transaction, order.id, saleOf(order, now))
      : this.ledger.release(transaction, order.id, now);
  }

  /** Of an order that is paid: its name stays with the customer, or the money comes back. */
  private async endGivingBack(order: Order, to: OrderEnd, at: Date, transaction: Queryable): Promise<void> {
    const { id } = order;
    if (to === 'registered')
      await this.orders.noteCancelAsked(id, null, t.orders.reasons.settled, transaction);
    else await this.payBack(order, at, transaction);
  }

  /** @throws {Error} where it was paid back already */
  async payBack(order: Order, at: Date, transaction: Queryable): Promise<void> {
    if (!(await this.ledger.post(transaction, reversalOf(order, at))))
      throw new Error(`the order ${order.id} was paid back already`);
  }
}

/**
 * The end that the registrar told. Where it told none, or an impossible one, the end is reckoned, as reminders and
 * renewals need one; comparing with the registrar then shows a difference.
 */
export function endOfTerm({ expiresAt, years }: Order, told: Date | null, now: Date): Date {
  const after = (count: number) => new Date(new Date(now).setUTCFullYear(now.getUTCFullYear() + count));
  if (told && told > now && told < after(years + 1)) return told;
  return expiresAt ?? after(years);
}
