import type { Request } from 'express';
import { ApiError } from '../errors/api-error.js';
import type { BudgetCounts } from './budget-window.js';
import {
  budgetExhausted,
  isMetered,
  MeteredError,
  meteredHeaders,
  rateHeaders,
  requestHeaders,
  toMetered,
} from './rate.dto.js';
import { type Tier, TIERS } from '../config/tiers.js';

const now = new Date('2026-11-20T12:00:18Z');
const counts: BudgetCounts = { now, minuteUsed: 20, period: 'month', periodUsed: 7, reserved: 3 };

describe('what a metered answer says', () => {
  it('is the minute alone for a tier without a quota', () => {
    expect(toMetered(TIERS.firehose, counts)).toEqual({
      rate: { limit_per_min: 6_000, remaining: 5_977, reset_in: 42 },
    });
  });

  it('is the longer budget too, where the tier has one', () => {
    expect(toMetered(TIERS.starter, counts)).toEqual({
      rate: { limit_per_min: 120, remaining: 97, reset_in: 42 },
      quota: { period: 'month', limit: 100_000, remaining: 99_990, resets_at: '2026-12-01T00:00:00.000Z' },
    });
  });

  it.each([
    ['the minute', 119, 0, 1],
    ['the month', 0, 99_998, 2],
  ])('leaves what %s leaves, where that is the least', (_what, minuteUsed, periodUsed, left) => {
    const { rate } = toMetered(TIERS.starter, { ...counts, minuteUsed, periodUsed, reserved: 0 });
    expect(rate.remaining).toBe(left);
  });

  it('keeps what it was measured from out of the answer', () => {
    const { rate } = toMetered(TIERS.starter, counts);
    expect(rate.measured.now).toBe(now);
    expect(rate.measured.windows.map(({ period }) => period)).toEqual(['minute', 'month']);
    expect(JSON.parse(JSON.stringify(rate))).toEqual({ limit_per_min: 120, remaining: 97, reset_in: 42 });
  });
});

const REQUESTS = { limit: 300, remaining: 290, resetInSeconds: 12 };
const COUNTS: BudgetCounts = {
  ...{ now: new Date('2026-11-20T12:00:18Z'), minuteUsed: 20, period: 'month', periodUsed: 7, reserved: 3 },
};

describe('the headers of limits', () => {
  it('name each window of the tier, and its requests behind them', () => {
    const { rate } = toMetered(TIERS.starter, COUNTS);
    expect(rateHeaders(TIERS.starter, rate, REQUESTS)).toEqual({
      'RateLimit-Policy':
        '"starter";q=120;w=60, "starter-month";q=100000;w=2592000, "starter-requests";q=300;w=60;qu="requests"',
      RateLimit: '"starter";r=97;t=42, "starter-month";r=99990;t=907182, "starter-requests";r=290;t=12',
      'X-RateLimit-Limit': '120',
      'X-RateLimit-Remaining': '97',
      'X-RateLimit-Reset': '42',
    });
  });

  it('name one window where the tier has one', () => {
    const { rate } = toMetered(TIERS.demo, { ...COUNTS, minuteUsed: 1, reserved: 0 });
    expect(rateHeaders(TIERS.demo, rate, REQUESTS)).toMatchObject({
      'RateLimit-Policy': '"demo";q=5;w=60, "demo-requests";q=300;w=60;qu="requests"',
      RateLimit: '"demo";r=4;t=42, "demo-requests";r=290;t=12',
    });
  });

  it('are those of requests alone on an answer that says nothing of records', () => {
    expect(requestHeaders(TIERS.pro, REQUESTS)).toEqual({
      'RateLimit-Policy': '"pro-requests";q=300;w=60;qu="requests"',
      RateLimit: '"pro-requests";r=290;t=12',
    });
  });
});

describe('an answer that says what is left', () => {
  const metered = toMetered(TIERS.starter, COUNTS);

  it('is told from one that does not', () => {
    expect(isMetered(metered)).toBe(true);
    expect(isMetered({ domains: [], ...metered })).toBe(true);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'rate'],
    ['a rate by itself', metered.rate],
    ['one without a rate', { domains: [] }],
    ['a rate that was read somewhere', { rate: { limit_per_min: 120, remaining: 97, reset_in: 42 } }],
    ['no rate after all', { rate: null }],
  ])('is not %s', (_what, body) => {
    expect(isMetered(body)).toBe(false);
  });

  it('has the headers of its caller’s limits, and is kept by nobody', () => {
    const caller = { id: 'account:1', tier: TIERS.starter };
    expect(meteredHeaders({ caller, requestsLeft: REQUESTS } as Request, metered)).toEqual({
      ...rateHeaders(TIERS.starter, metered.rate, REQUESTS),
      'Cache-Control': 'no-store',
    });
  });
});

const tier: Tier = { ...TIERS.starter, recordsPerMinute: 120, quota: { period: 'hour', records: 1_000 } };
const countsOf = (minuteUsed: number, periodUsed: number, reserved = 0): BudgetCounts => ({
  ...{ now: new Date('2026-11-20T11:59:48Z'), minuteUsed, period: 'hour', periodUsed, reserved },
});

describe('budgetExhausted', () => {
  it.each([
    [
      'a spent minute',
      tier,
      countsOf(120, 120),
      'The budget of 120 domain records a minute is spent; it is full again in 12 s.',
      12,
    ],
    [
      'a spent hour',
      tier,
      { ...countsOf(0, 1_000), now: new Date('2026-11-20T11:30:00Z') },
      'The budget of 1000 domain records an hour is spent; it is full again in 1800 s.',
      1800,
    ],
    [
      'a minute that is reserved',
      tier,
      countsOf(118, 118, 2),
      'The budget of 120 domain records a minute is reserved by requests under way; try again in a second.',
      1,
    ],
    [
      'an hour that is reserved',
      tier,
      countsOf(0, 995, 5),
      'The budget of 1000 domain records an hour is reserved by requests under way; try again in a second.',
      1,
    ],
    [
      'two windows that are reserved, of which it names the first',
      tier,
      countsOf(115, 995, 5),
      'The budget of 120 domain records a minute is reserved by requests under way; try again in a second.',
      1,
    ],
  ])('says of %s which it is and when to come back', (_what, of, counts, message, seconds) => {
    const error = budgetExhausted(of, counts);
    expect(error).toMatchObject({ code: 'budget_exhausted', status: 429, message });
    expect(error.retryAfterSeconds).toBe(seconds);
    expect(error.headers).toEqual({ 'Retry-After': String(seconds) });
  });

  it('says what is left of each window', () => {
    expect(budgetExhausted(tier, countsOf(120, 300)).left).toMatchObject({
      rate: { remaining: 0 },
      quota: { remaining: 700 },
    });
  });
});

it('a MeteredError keeps all that the failure said', () => {
  const cause = new Error('closed');
  const failure = new ApiError('registry_unavailable', 'No registry answered.', {
    ...{ headers: { 'X-Why': 'test' }, retryAfterSeconds: 7, cause },
  });
  const { left } = budgetExhausted(tier, countsOf(120, 300));
  expect(new MeteredError(failure, left)).toMatchObject({
    ...{ code: 'registry_unavailable', message: 'No registry answered.', status: 503, left },
    ...{ retryAfterSeconds: 7, headers: { 'X-Why': 'test', 'Retry-After': '7' }, cause },
  });
});
