import { ApiError } from '../../errors/api-error.js';
import { fillIn, t, type Texts } from '../../texts/texts.js';

/** The error for a step that the state of an order does not allow; its text is in the catalogue. */
export function orderClosed(
  why: keyof Texts['orders']['closed'],
  values: Readonly<Record<string, string>> = {},
): ApiError {
  return new ApiError('order_closed', fillIn(t.orders.closed[why], values));
}
