import { ApiError } from '../../errors/api-error.js';
import { type Tier, TIERS } from '../../tiers/tiers.js';
import type { BudgetCounts } from './budget-window.js';
import { budgetExhausted, MeteredError } from './metered-error.js';

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
