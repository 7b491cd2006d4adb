import { ApiError } from '../../errors/api-error.js';
import type { ErrorCode } from '../../errors/error-codes.js';
import { fillIn, t, type Texts } from '../../texts/texts.js';
import type { OrderState } from './order-states.js';

export const RETRY_SECONDS = 30;

type Values = Readonly<Record<string, string | number>>;

/** A refusal about orders and their money; its text is in the catalogue, and says what to change. */
export function refusal(
  code: ErrorCode,
  why: keyof Texts['orders']['refused'],
  values: Values = {},
  more: ConstructorParameters<typeof ApiError>[2] = {},
): ApiError {
  // Digits as programs read them.
  const plain = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]));
  return new ApiError(code, fillIn(t.orders.refused[why], plain), more);
}

/** The error for a step that the state of an order does not allow. */
export function orderClosed(
  why: keyof Texts['orders']['closed'],
  { state, ...values }: Values & { readonly state?: OrderState } = {},
): ApiError {
  const words = state && t.ordering.states[state].words;
  return new ApiError(
    'order_closed',
    fillIn(t.orders.closed[why], { ...values, ...(words && { state: words }) }),
  );
}

export function balanceShort(free: number, cents: number): ApiError {
  return refusal('balance_short', 'balanceShort', { free, cents, missing: cents - free });
}

export function registrarAway(why: 'noPrice' | 'notServed'): ApiError {
  return refusal('registrar_unavailable', why, {}, { retryAfterSeconds: RETRY_SECONDS });
}
