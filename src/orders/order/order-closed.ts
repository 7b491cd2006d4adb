import { ApiError } from '../../errors/api-error.js';
import { fillIn, t, type Texts } from '../../texts/texts.js';

/** The refusal of what comes too late for an order, by its text. */
export function orderClosed(
  why: keyof Texts['orders']['closed'],
  values: Readonly<Record<string, string>> = {},
): ApiError {
  return new ApiError('order_closed', fillIn(t.orders.closed[why], values));
}
