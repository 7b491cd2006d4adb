import {
  adjustThreshold,
  FIRST_THRESHOLD,
  isOutdated,
  LATENESS_AIMED_AT_MS,
  MAX_THRESHOLD,
  MIN_THRESHOLD,
} from './threshold.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

describe('adjustThreshold', () => {
  it('rises while the queue runs late', () => {
    expect(adjustThreshold(0.01, 2 * LATENESS_AIMED_AT_MS, MINUTE_MS)).toBeGreaterThan(0.01);
  });

  it('falls while turns are left over', () => {
    expect(adjustThreshold(0.01, -MINUTE_MS, MINUTE_MS)).toBeLessThan(0.01);
    expect(adjustThreshold(0.01, 0, MINUTE_MS)).toBeLessThan(0.01);
  });

  it('stays where the queue is as late as it may be', () => {
    expect(adjustThreshold(0.01, LATENESS_AIMED_AT_MS, MINUTE_MS)).toBe(0.01);
  });

  it('moves no further in one step than in a day, however long nobody looked', () => {
    expect(adjustThreshold(0.01, DAY_MS, 90 * DAY_MS)).toBe(adjustThreshold(0.01, DAY_MS, DAY_MS));
    expect(adjustThreshold(0.01, DAY_MS, -DAY_MS)).toBe(0.01);
  });

  it('stays within its limits', () => {
    let [high, low] = [FIRST_THRESHOLD, FIRST_THRESHOLD];
    for (let day = 0; day < 100; day += 1) {
      high = adjustThreshold(high, DAY_MS, DAY_MS);
      low = adjustThreshold(low, -DAY_MS, DAY_MS);
    }
    expect([high, low]).toEqual([MAX_THRESHOLD, MIN_THRESHOLD]);
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
