import type { Request, Response } from 'express';
import type { Tier } from '../tiers/tiers.js';
import { lengthInSeconds, resetInSeconds } from './budget/budget-window.js';
import { type Metered, Rate } from './rate.dto.js';

/** Names of every header that speaks of limits, for CORS and for the OpenAPI documents. */
export const RATE_HEADERS = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const;

/** How the flood limit stands with a request. */
export interface RequestsLeft {
  readonly limit: number;
  readonly remaining: number;
  readonly resetInSeconds: number;
}

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    interface Request {
      /** Set by the RateLimitGuard: every endpoint that spends records has the flood limit too. */
      requestsLeft: RequestsLeft;
    }
  }
}

const MINUTE_SECONDS = 60;

/** The flood limit, a policy of its own: in requests, which the draft has a name for. */
export function requestHeaders(
  { name }: Tier,
  { limit, remaining, resetInSeconds: seconds }: RequestsLeft,
): { 'RateLimit-Policy': string; RateLimit: string } {
  return {
    'RateLimit-Policy': `"${name}-requests";q=${limit};w=${MINUTE_SECONDS};qu="requests"`,
    RateLimit: `"${name}-requests";r=${remaining};t=${seconds}`,
  };
}

/** Whether an answer says what is left of the budgets. */
export function isMetered(body: unknown): body is Metered {
  return typeof body === 'object' && body !== null && 'rate' in body && body.rate instanceof Rate;
}

/** What is left, on an answer that is paid for and holds for this moment only. */
export function meteredHeaders({ caller, requestsLeft }: Request, { rate }: Metered): Record<string, string> {
  return { ...rateHeaders(caller.tier, rate, requestsLeft), 'Cache-Control': 'no-store' };
}

/**
 * Sets them on an answer that is sent by itself. It never becomes a 304, to `If-None-Match: *` neither, which Express takes for a
 * match whatever it answers.
 */
export function setMeteredHeaders(request: Request, response: Response, left: Metered): void {
  response.set(meteredHeaders(request, left));
  delete request.headers['if-none-match'];
}

/**
 * Each limit as the IETF draft has it (draft-ietf-httpapi-ratelimit-headers), and what is left in all as the older X-RateLimit-*
 * trio. The unit of budgets is records, which the draft has no registered name for, so `qu` is left out there.
 */
export function rateHeaders(
  tier: Tier,
  rate: Rate,
  requestsLeft: RequestsLeft,
): Record<(typeof RATE_HEADERS)[number], string> {
  const { windows, now } = rate.measured;
  const names = windows.map(({ period }) => (period === 'minute' ? tier.name : `${tier.name}-${period}`));
  const requests = requestHeaders(tier, requestsLeft);
  const policies = windows.map(
    (window, place) => `"${names[place]}";q=${window.limit};w=${lengthInSeconds(window)}`,
  );
  const states = windows.map(
    (window, place) => `"${names[place]}";r=${window.left};t=${resetInSeconds(window, now)}`,
  );
  return {
    'RateLimit-Policy': [...policies, requests['RateLimit-Policy']].join(', '),
    RateLimit: [...states, requests.RateLimit].join(', '),
    'X-RateLimit-Limit': String(rate.limit_per_min),
    'X-RateLimit-Remaining': String(rate.remaining),
    'X-RateLimit-Reset': String(rate.reset_in),
  };
}
