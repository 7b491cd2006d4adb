import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiError } from '../errors/api-error.js';
import {
  type BudgetCounts,
  type BudgetWindow,
  lengthInSeconds,
  resetInSeconds,
  spentWindow,
  windowsOf,
} from './budget-window.js';
import type { Tier } from '../config/tiers.js';
import { count, one, oneOf, optional, positive, shape, time } from '../validation/shape.js';

/** The windows of a budget at a moment of the database's clock. */
interface Measured {
  readonly windows: readonly [BudgetWindow, ...BudgetWindow[]];
  readonly now: Date;
}

@ApiSchema({ name: 'Rate', description: 'The current rate budget, counted in domain records.' })
export class Rate {
  @ApiProperty({ description: 'Domain records a minute.', type: 'integer', minimum: 1, example: 5 })
  limit_per_min: number;

  @ApiProperty({
    description:
      'Records left now: the least that any budget of the caller leaves, the minute or the longer one.',
    type: 'integer',
    minimum: 0,
    example: 4,
  })
  remaining: number;

  @ApiProperty({
    description: 'Seconds until the per-minute budget resets: windows are whole minutes of the UTC clock.',
    type: 'integer',
    minimum: 1,
    maximum: 60,
    example: 42,
  })
  reset_in: number;

  readonly #measured: Measured;

  constructor(measured: Measured) {
    const { windows, now } = measured;
    const [minute] = windows;
    this.limit_per_min = minute.limit;
    this.remaining = Math.min(...windows.map(({ left }) => left));
    this.reset_in = resetInSeconds(minute, now);
    this.#measured = measured;
  }

  /** The source of the headers, which describe each window. Not in the body. */
  get measured(): Measured {
    return this.#measured;
  }
}

@ApiSchema({ name: 'Quota', description: 'The longer budget of a keyed caller, beside the minute.' })
export class Quota extends shape({
  period: oneOf(
    ['hour', 'month'],
    'What it is counted over: whole hours or months of the UTC clock.',
    'month',
  ),
  limit: positive('Domain records a period.', 100_000),
  remaining: count('Records left in this period.', 99_312),
  resets_at: time('When the next period begins (ISO 8601 UTC).', '2026-12-01T00:00:00.000Z'),
}) {}

/** The budgets in every metered answer. */
export class Metered extends shape({
  rate: one(Rate, 'The budget after this answer.'),
  quota: optional(
    one(Quota, 'The longer budget after this answer; absent where the tier has none, as in the demo.'),
  ),
}) {}

/** The public form of the counts. */
export function toMetered(tier: Tier, counts: BudgetCounts): Metered {
  const windows = windowsOf(tier, counts);
  const rate = new Rate({ windows, now: counts.now });
  const [, longer] = windows;
  if (!tier.quota || !longer) return { rate };
  const { limit, left, endsAt } = longer;
  return {
    rate,
    quota: { period: tier.quota.period, limit, remaining: left, resets_at: endsAt.toISOString() },
  };
}

/** The headers about limits, for CORS and the OpenAPI documents. */
export const RATE_HEADERS = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const;

/** The flood limit after a request. */
interface RequestsLeft {
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

/** The flood limit as a policy of its own, in requests, a unit of the draft. */
export function requestHeaders(
  { name }: Tier,
  { limit, remaining, resetInSeconds: seconds }: RequestsLeft,
): { 'RateLimit-Policy': string; RateLimit: string } {
  return {
    'RateLimit-Policy': `"${name}-requests";q=${limit};w=${MINUTE_SECONDS};qu="requests"`,
    RateLimit: `"${name}-requests";r=${remaining};t=${seconds}`,
  };
}

/** Whether an answer contains budgets. */
export function isMetered(body: unknown): body is Metered {
  return typeof body === 'object' && body !== null && 'rate' in body && body.rate instanceof Rate;
}

/** The headers of a metered answer, which must not be cached. */
export function meteredHeaders({ caller, requestsLeft }: Request, { rate }: Metered): Record<string, string> {
  return { ...rateHeaders(caller.tier, rate, requestsLeft), 'Cache-Control': 'no-store' };
}

/**
 * Sets the headers on an answer written by hand. It must not become a 304: Express would treat `If-None-Match: *` as a
 * match.
 */
export function setMeteredHeaders(request: Request, response: Response, left: Metered): void {
  response.set(meteredHeaders(request, left));
  delete request.headers['if-none-match'];
}

/**
 * Each limit by the IETF draft (draft-ietf-httpapi-ratelimit-headers), and the minimum of all in the older
 * X-RateLimit-* headers. The draft has no registered name for records, so their policies have no `qu`.
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

const COUNT = { type: 'integer', minimum: 0 } as const;

/** The headers of rate-headers.ts, as the OpenAPI documents describe them. */
export const RATE_RESPONSE_HEADERS = {
  'RateLimit-Policy': {
    description:
      'Every limit of the caller: so much (q) in a window of w seconds. In records, but where qu says requests.',
    schema: { type: 'string' as const },
    example: '"demo";q=5;w=60, "demo-requests";q=60;w=60;qu="requests"',
  },
  RateLimit: {
    description: 'What is left of each (r), and seconds to its next window (t).',
    schema: { type: 'string' as const },
    example: '"demo";r=4;t=42, "demo-requests";r=57;t=42',
  },
  'X-RateLimit-Limit': { description: 'Records a minute.', schema: COUNT },
  'X-RateLimit-Remaining': {
    description: 'Records left now: the least that any window leaves.',
    schema: COUNT,
  },
  'X-RateLimit-Reset': { description: 'Seconds to the next minute.', schema: COUNT },
};

/** An error with the budgets of a metered answer: in its headers, and over MCP in its body. */
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

/** If only reservations stand in the way: most of them end within a second. */
const RESERVED_RETRY_SECONDS = 1;

/** The error if nothing is granted. */
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
