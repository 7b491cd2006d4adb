import type { DomainName } from '../../domains/name/domain-name.js';
import { BADGE_OF_STATE, type RegistryState } from '../../domains/schema/states.js';
import { ApiError } from '../../errors/api-error.js';
import type { ErrorCode } from '../../errors/error-codes.js';
import { type NoAnswer, unavailable } from '../../registry/answer.js';
import { fillIn, t, type Texts } from '../../texts/texts.js';
import { STOP_REASONS, type StopReason } from './stop-reasons.js';

export const RETRY_SECONDS = 30;

export type Values = Readonly<Record<string, string | number>>;

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

/** What keeps the orders of an account from being sent. */
export type Bar = StopReason | 'frozen';

export function barInWords(bar: Bar): string {
  return bar === 'frozen' ? t.orders.frozen : STOP_REASONS[bar];
}

export function barred(bar: Bar): ApiError {
  const why = barInWords(bar);
  return bar === 'frozen'
    ? refusal('account_frozen', 'frozen', { why })
    : refusal('ordering_stopped', 'stopped', { why }, { retryAfterSeconds: RETRY_SECONDS });
}

export function balanceShort(free: number, cents: number): ApiError {
  return refusal('balance_short', 'balanceShort', { free, cents, missing: cents - free });
}

export function registrarAway(why: 'noPrice' | 'notServed' | 'noWord'): ApiError {
  return refusal('registrar_unavailable', why, {}, { retryAfterSeconds: RETRY_SECONDS });
}

export function notFree({ domain }: DomainName, state: RegistryState): ApiError {
  return refusal('name_not_available', 'notFree', { domain, state: t.names.meanings[BADGE_OF_STATE[state]] });
}

export function registryAway(failure: NoAnswer): ApiError {
  return unavailable(failure, ` ${t.orders.nothingHeld}`);
}
