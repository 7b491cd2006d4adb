import { orderClosed } from './order-words.js';
import type { Order, OrderIn } from './order.repository.js';

const DAY_MS = 86_400_000;
/** The registry renews a name from so many days before its end, and for so many after it. */
export const RENEWABLE_FROM_DAYS = 90;
export const RENEWABLE_AFTER_DAYS = 30;

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
  if (isRenewableAt(now, expiresAt)) return;
  const [from, to] = [renewableFrom(expiresAt), renewableUntil(expiresAt)];
  throw orderClosed('renewalTime', { from: dayOf(from), to: dayOf(to) });
}

/** Whether the registry renews a name now that ends then. */
export function isRenewableAt(now: Date, expiresAt: Date): boolean {
  return now >= renewableFrom(expiresAt) && now < renewableUntil(expiresAt);
}

function renewableFrom(expiresAt: Date): Date {
  return new Date(expiresAt.getTime() - RENEWABLE_FROM_DAYS * DAY_MS);
}

/** The registry no longer renews a name that ended by then. */
export function renewableAfter(now: Date): Date {
  return new Date(now.getTime() - RENEWABLE_AFTER_DAYS * DAY_MS);
}

/** When the registry stops renewing a name. */
export function renewableUntil(expiresAt: Date): Date {
  return new Date(expiresAt.getTime() + RENEWABLE_AFTER_DAYS * DAY_MS);
}

export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
