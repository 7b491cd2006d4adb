import { TIERS } from '../tiers/tiers.js';
import type { BudgetCounts } from './budget/budget-window.js';
import { toMetered } from './rate.dto.js';

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
