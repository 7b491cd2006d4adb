import type { Request } from 'express';
import { TIERS } from '../tiers/tiers.js';
import type { BudgetCounts } from './budget/budget-window.js';
import { isMetered, meteredHeaders, rateHeaders, requestHeaders } from './rate-headers.js';
import { toMetered } from './rate.dto.js';

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
