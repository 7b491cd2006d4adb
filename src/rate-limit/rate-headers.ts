import type { Tier } from '../tiers/tiers.js';
import { lengthInSeconds, resetInSeconds } from './budget/budget-window.js';
import type { Metered } from './rate.dto.js';

/** Names of every header that speaks of limits, for CORS and for the OpenAPI documents. */
export const RATE_HEADERS = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const;

const MINUTE_SECONDS = 60;

/**
 * The budget as headers: the IETF draft's pair (draft-ietf-httpapi-ratelimit-headers) and the older X-RateLimit-*
 * trio, which has room for the minute only. The unit is records, which the draft has no registered name for, so `qu` is left out.
 */
export function rateHeaders(
  { name }: Tier,
  { rate, quota }: Metered,
): Record<(typeof RATE_HEADERS)[number], string> {
  const policies = [`"${name}";q=${rate.limit_per_min};w=${MINUTE_SECONDS}`];
  const states = [`"${name}";r=${rate.remaining};t=${rate.reset_in}`];
  if (quota) {
    const window = { period: quota.period, endsAt: new Date(quota.resets_at) };
    policies.push(`"${name}-${quota.period}";q=${quota.limit};w=${lengthInSeconds(window)}`);
    states.push(`"${name}-${quota.period}";r=${quota.remaining};t=${resetInSeconds(window, new Date())}`);
  }
  return {
    'RateLimit-Policy': policies.join(', '),
    RateLimit: states.join(', '),
    'X-RateLimit-Limit': String(rate.limit_per_min),
    'X-RateLimit-Remaining': String(rate.remaining),
    'X-RateLimit-Reset': String(rate.reset_in),
  };
}

const COUNT = { type: 'integer', minimum: 0 } as const;

/** The same headers as the OpenAPI documents describe them. */
export const RATE_RESPONSE_HEADERS = {
  'RateLimit-Policy': {
    description: 'Budget: records (q) in a window of w seconds.',
    schema: { type: 'string' as const },
    example: '"demo";q=5;w=60',
  },
  RateLimit: {
    description: 'Records left (r) and seconds to the next window (t).',
    schema: { type: 'string' as const },
    example: '"demo";r=4;t=42',
  },
  'X-RateLimit-Limit': { description: 'Records in a window.', schema: COUNT },
  'X-RateLimit-Remaining': { description: 'Records left in this window.', schema: COUNT },
  'X-RateLimit-Reset': { description: 'Seconds to the next window.', schema: COUNT },
};
