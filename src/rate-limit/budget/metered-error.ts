import type { Request } from 'express';
import { ApiError } from '../../errors/api-error.js';
import type { Tier } from '../../tiers/tiers.js';
import { meteredHeaders } from '../rate-headers.js';
import { type Metered, toMetered } from '../rate.dto.js';
import { type BudgetCounts, resetInSeconds, spentWindow, windowsOf } from './budget-window.js';

/** A failure that says what is left of the budgets, as every metered answer does: in its headers, and over MCP in its body. */
export class MeteredError extends ApiError {
  constructor(
    { code, message, headers, retryAfterSeconds, cause }: ApiError,
    readonly left: Metered,
  ) {
    super(code, message, { headers, retryAfterSeconds, cause });
  }

  override headersFor(request: Request): Readonly<Record<string, string>> {
    return { ...this.headers, ...meteredHeaders(request, this.left) };
  }
}

/** Where only reservations are in the way: most of them end within a second. */
const RESERVED_RETRY_SECONDS = 1;

/** The answer to a caller who is granted nothing. */
export function budgetExhausted(tier: Tier, counts: BudgetCounts): MeteredError {
  const spent = spentWindow(tier, counts);
  const seconds = spent ? resetInSeconds(spent, counts.now) : RESERVED_RETRY_SECONDS;
  const why = spent
    ? `is spent; it is full again in ${seconds} s.`
    : 'is reserved by requests under way; try again in a second.';
  const { period, limit } =
    spent ?? windowsOf(tier, counts).reduce((one, other) => (other.left < one.left ? other : one));
  const message = `The budget of ${limit} domain records ${period === 'hour' ? 'an' : 'a'} ${period} ${why}`;
  const refusal = new ApiError('budget_exhausted', message, { retryAfterSeconds: seconds });
  return new MeteredError(refusal, toMetered(tier, counts));
}
