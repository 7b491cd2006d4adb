import { ApiError } from '../../errors/api-error.js';
import type { Tier } from '../../tiers/tiers.js';
import { rateHeaders } from '../rate-headers.js';
import type { Metered } from '../rate.dto.js';

/** A failure that says what is left of the budgets, as every metered answer does: in its headers, and over MCP in its body. */
export class MeteredError extends ApiError {
  constructor(
    failure: ApiError,
    tier: Tier,
    readonly left: Metered,
  ) {
    super(failure.code, failure.message, {
      headers: { ...rateHeaders(tier, left), ...failure.headers },
      retryAfterSeconds: failure.retryAfterSeconds,
      cause: failure.cause,
    });
  }
}
