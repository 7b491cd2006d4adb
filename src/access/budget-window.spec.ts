import fc from 'fast-check';
import { TIERS, type Tier } from '../config/tiers.js';
import {
  type BudgetCounts,
  countsLater,
  lengthInSeconds,
  longerPeriod,
  resetInSeconds,
  spentWindow,
  windowsOf,
} from './budget-window.js';

const quotaOf = (period: 'hour' | 'month'): Tier => ({ ...TIERS.starter, quota: { period, records: 100 } });
const countsAt = (now: Date, more: Partial<BudgetCounts> = {}): BudgetCounts => ({
  ...{ now, minuteUsed: 0, period: 'minute', periodUsed: 0, reserved: 0 },
  ...more,
});
const anyMoment = fc.date({ min: new Date('2024-01-01'), max: new Date('2030-12-31'), noInvalidDate: true });

describe('windowsOf', () => {
  it.each([
    ['hour', '2026-11-20T21:59:59.999Z', '2026-11-20T22:00:00.000Z', 3600],
    ['month', '2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00.000Z', 28 * 86_400],
    ['month', '2026-12-31T23:59:59.000Z', '2027-01-01T00:00:00.000Z', 31 * 86_400],
    ['month', '2028-02-29T12:00:00.000Z', '2028-03-01T00:00:00.000Z', 29 * 86_400],
  ] as const)('a %s at %s ends at %s', (period, now, end, length) => {
    const [, quota] = windowsOf(quotaOf(period), countsAt(new Date(now), { period }));
    expect(quota?.endsAt.toISOString()).toBe(end);
    expect(quota && lengthInSeconds(quota)).toBe(length);
  });

  it('counts what is reserved as not left, and not as used', () => {
    const [minute, month] = windowsOf(
      quotaOf('month'),
      countsAt(new Date(), { minuteUsed: 20, period: 'month', periodUsed: 90, reserved: 8 }),
    );
    expect(minute).toMatchObject({ limit: 120, used: 20, left: 92 });
    expect(month).toMatchObject({ limit: 100, used: 90, left: 2 });
  });

  it('has nothing less than nothing left, as where a limit was lowered', () => {
    expect(windowsOf(TIERS.demo, countsAt(new Date(), { minuteUsed: 7 }))[0]).toMatchObject({ left: 0 });
  });

  it('does not take the count of one period for that of another', () => {
    const counted = countsAt(new Date(), { period: 'hour', periodUsed: 100 });
    expect(windowsOf(quotaOf('month'), counted)[1]).toMatchObject({ used: 0, left: 100 });
  });
});

describe('longerPeriod', () => {
  it('is the quota, or the minute again where there is none', () => {
    expect(longerPeriod(quotaOf('hour'))).toEqual({ period: 'hour', records: 100 });
    expect(longerPeriod(TIERS.demo)).toEqual({ period: 'minute', records: 5 });
  });
});

describe('resetInSeconds', () => {
  it.each([
    ['11:59:00.000', 60],
    ['11:59:00.001', 60],
    ['11:59:57.999', 3],
    ['11:59:59.999', 1],
    // As a clock that has gone on meanwhile sees it.
    ['12:00:00.000', 1],
    ['12:00:03.000', 1],
  ])('at %s is %i for a window that ends at noon', (time, seconds) => {
    const endsAt = new Date('2026-11-20T12:00:00Z');
    expect(resetInSeconds({ endsAt }, new Date(`2026-11-20T${time}Z`))).toBe(seconds);
  });
});

describe('spentWindow', () => {
  const counts = (minuteUsed: number, periodUsed: number, reserved = 0) =>
    countsAt(new Date(), { minuteUsed, period: 'month', periodUsed, reserved });

  it.each([
    ['neither', counts(119, 99), undefined],
    ['the minute', counts(120, 99), 'minute'],
    ['the month', counts(0, 100), 'month'],
    ['both, and waits for the longer', counts(120, 100), 'month'],
    ['what is reserved and may come back', counts(119, 99, 50), undefined],
  ])('%s', (_what, counted, period) => {
    expect(spentWindow(quotaOf('month'), counted)?.period).toBe(period);
  });
});

describe('countsLater', () => {
  it('a caller who waits as long as told meets another window, and before that the same', () => {
    fc.assert(
      fc.property(anyMoment, fc.constantFrom('hour' as const, 'month' as const), (now, period) => {
        const counts = countsAt(now, { minuteUsed: 7, period, periodUsed: 9 });
        const [minute, longer] = windowsOf(quotaOf(period), counts);
        const afterMs = (ms: number) => countsLater(counts, new Date(now.getTime() + ms));
        for (const [window, used] of [
          [minute, 'minuteUsed'],
          [longer, 'periodUsed'],
        ] as const) {
          if (!window) throw new Error('a tier with a quota has two windows');
          expect(window.endsAt.getTime()).toBeGreaterThan(now.getTime());
          expect(afterMs(window.endsAt.getTime() - now.getTime() - 1)[used]).toBe(counts[used]);
          expect(afterMs(resetInSeconds(window, now) * 1000)[used]).toBe(0);
        }
      }),
    );
  });
});
