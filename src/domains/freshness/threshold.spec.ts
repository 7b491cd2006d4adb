import {
  adjustThreshold,
  FIRST_THRESHOLD,
  isOutdated,
  LATENESS_AIMED_AT_MS,
  MAX_THRESHOLD,
  MIN_THRESHOLD,
} from './threshold.js';

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
