import { orderClosed } from './order-words.js';
import type { Order, OrderIn } from './order.repository.js';
import { REMINDED_DAYS } from './renewal.repository.js';

const DAY_MS = 86_400_000;
/** The registry renews a name from this day on, and for so long after its end. */
const RENEWABLE_FROM_MS = REMINDED_DAYS[0] * DAY_MS;
const RENEWABLE_AFTER_MS = 30 * DAY_MS;

/**
 * A name is renewed once before each end: a second renewal would be charged as well.
 *
 * @param renewing another order that renews it, and is approved
 * @throws {ApiError} order_closed
 */
export function assertRenewable(
  order: Order,
  renewing: Order | null,
  now: Date,
): asserts order is OrderIn<'registered'> {
  const { state, expiresAt } = order;
  if (state !== 'registered' || order.renews !== null || !expiresAt)
    throw orderClosed('notRegistered', {}, order);
  if (renewing) throw orderClosed('renewing', { number: renewing.number });
  const [from, to] = [expiresAt.getTime() - RENEWABLE_FROM_MS, expiresAt.getTime() + RENEWABLE_AFTER_MS];
  if (now.getTime() < from || now.getTime() > to)
    throw orderClosed('renewalTime', { from: dayOf(from), to: dayOf(to) });
}

export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
