import type { OfferedName } from '../lifecycle/lifecycle.js';
import {
  adjustThreshold,
  ageInDays,
  daysToNextQuestion,
  FIRST_THRESHOLD,
  isOutdated,
  LATENESS_AIMED_AT_MS,
  MAX_DAYS_BETWEEN,
  MAX_THRESHOLD,
  MIN_THRESHOLD,
  nextCheckAt,
  SHOW_WEIGHTS,
} from './next-ask.js';
import { bandOf, priorTable, RATE_CELLS } from './rate-table.js';

const checkedAt = new Date('2026-03-01T03:10:00Z');
const name = { droppedAt: checkedAt, wayback: 40, checkedAt };
const hoursUntilAsked = (changes: Partial<OfferedName>) =>
  (nextCheckAt({ ...name, ...changes }, priorTable(), FIRST_THRESHOLD.current).getTime() -
    checkedAt.getTime()) /
  3_600_000;

describe('nextCheckAt', () => {
  it('comes after the last answer', () => {
    expect(hoursUntilAsked({})).toBeGreaterThan(0);
  });

  it('asks about no name more often than every hour', () => {
    expect(
      nextCheckAt({ ...name, wayback: 50_000 }, priorTable(), 1e-9).getTime() - checkedAt.getTime(),
    ).toBe(3_600_000);
  });

  it('asks the better name first', () => {
    expect(hoursUntilAsked({ wayback: 20_000 })).toBeLessThan(hoursUntilAsked({ wayback: 0 }));
  });

  it('asks the younger name first', () => {
    const lastYear = new Date('2025-03-01T03:10:00Z');
    expect(hoursUntilAsked({})).toBeLessThan(hoursUntilAsked({ droppedAt: lastYear }));
  });

  it('takes a name for new whose drop nobody knows', () => {
    expect(hoursUntilAsked({ droppedAt: null })).toBe(hoursUntilAsked({}));
  });

  it('asks a name before its offer ends, where turns are left for it', () => {
    const old = { droppedAt: new Date('2020-01-01T00:00:00Z'), wayback: 0, checkedAt };
    const days = (threshold: number, maxAge?: number) =>
      (nextCheckAt(old, priorTable(), threshold, maxAge).getTime() - checkedAt.getTime()) / 86_400_000;
    expect(days(0.05)).toBeGreaterThan(120);
    expect(days(0.05, 120)).toBeCloseTo(114, 6);
    expect(days(5, 120)).toBe(days(5));
  });

  it('counts the age in days since the drop', () => {
    expect(ageInDays(name, new Date('2026-03-03T15:10:00Z'))).toBe(2.5);
  });
});

describe('daysToNextQuestion', () => {
  const days = (band: number, age: number, threshold: number, rates = priorTable()) =>
    daysToNextQuestion(rates, band, age, threshold, Infinity);
  const sameEverywhere = (rate: number) => new Float64Array(RATE_CELLS).fill(rate);

  it.each([
    [0.5, 0, 0.3],
    [0.02, 5.5, 0.01],
    [0.001, 200, 2],
  ])('is when w λ t² / 2 reaches the threshold: λ %d a day, age %d', (rate, age, threshold) => {
    for (const [band, weight] of SHOW_WEIGHTS.entries()) {
      const unasked = days(band, age, threshold, sameEverywhere(rate));
      if (unasked > 1 / 24) expect((weight * rate * unasked * unasked) / 2).toBeCloseTo(threshold, 8);
    }
  });

  it('counts a name as often as it is shown', () => {
    const lowest = bandOf(0);
    const rates = sameEverywhere(0.001);
    expect((days(lowest, 2, 10, rates) / days(0, 2, 10, rates)) ** 2).toBeCloseTo(600);
    expect(SHOW_WEIGHTS).toEqual([600, 150, 40, 10, 3, 1]);
  });

  it('goes by the rate of the middle of the time, as rates fall with the age', () => {
    expect(days(3, 0, 0.3)).toBeGreaterThan(days(3, 0, 0.3, sameEverywhere(priorTable()[63] ?? 0)));
  });

  it('is sooner for the younger, the better and the lower threshold', () => {
    expect(days(2, 1, 0.5)).toBeLessThan(days(2, 30, 0.5));
    expect(days(1, 30, 0.5)).toBeLessThan(days(2, 30, 0.5));
    expect(days(2, 30, 0.2)).toBeLessThan(days(2, 30, 0.5));
  });

  it('ends where no question would ever be worth the threshold', () => {
    expect(days(bandOf(0), 0, 1e9)).toBe(MAX_DAYS_BETWEEN);
  });

  it('takes a name that was answered before its drop for a new one', () => {
    expect(days(3, -2, 0.01)).toBe(days(3, 0, 0.01));
  });
});

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = { steady: 0.01, current: 0.01 };

describe('adjustThreshold', () => {
  it('rises while the queue runs late', () => {
    const { steady, current } = adjustThreshold(START, 6 * HOUR_MS, MINUTE_MS);
    expect(steady).toBeGreaterThan(0.01);
    expect(current).toBeGreaterThan(steady);
  });

  it('falls while turns are left over', () => {
    const { steady, current } = adjustThreshold(START, -6 * HOUR_MS, MINUTE_MS);
    expect(steady).toBeLessThan(0.01);
    expect(current).toBeLessThan(steady);
    expect(adjustThreshold(START, 0, MINUTE_MS).steady).toBeLessThan(0.01);
  });

  it('stays where the queue is as late as it may be', () => {
    expect(adjustThreshold(START, LATENESS_AIMED_AT_MS, MINUTE_MS)).toEqual(START);
  });

  it('forgets the lateness when it is over', () => {
    const late = adjustThreshold(START, 12 * HOUR_MS, MINUTE_MS);
    const { steady, current } = adjustThreshold(late, LATENESS_AIMED_AT_MS, MINUTE_MS);
    expect(current).toBe(steady);
  });

  it('moves no further in one step than in a day, however long nobody looked', () => {
    expect(adjustThreshold(START, DAY_MS, 90 * DAY_MS)).toEqual(adjustThreshold(START, DAY_MS, DAY_MS));
    expect(adjustThreshold(START, DAY_MS, -DAY_MS).steady).toBe(0.01);
  });

  it('stays within its limits', () => {
    let [high, low] = [FIRST_THRESHOLD, FIRST_THRESHOLD];
    for (let day = 0; day < 1_000; day += 1) {
      high = adjustThreshold(high, 9 * DAY_MS, DAY_MS);
      low = adjustThreshold(low, -9 * DAY_MS, DAY_MS);
    }
    expect(high).toEqual({ steady: MAX_THRESHOLD, current: MAX_THRESHOLD });
    expect(low).toEqual({ steady: MIN_THRESHOLD, current: MIN_THRESHOLD });
  });
});

describe('isOutdated', () => {
  it('is a moment that is off by a tenth of the time between the questions', () => {
    const checkedAt = 1_000_000;
    expect(isOutdated(checkedAt + 100, checkedAt + 109, checkedAt)).toBe(false);
    expect(isOutdated(checkedAt + 100, checkedAt + 111, checkedAt)).toBe(true);
    expect(isOutdated(checkedAt + 100, checkedAt + 80, checkedAt)).toBe(true);
  });
});
