import { readConfig } from '../../config/read-config.js';
import { nextDelay, pauseAsked } from './webhook-deliverer.js';

const { retrySeconds } = readConfig({}).webhooks;
const delays = (random: () => number) =>
  retrySeconds.map((_, attempts) => nextDelay(attempts, retrySeconds, null, random));

describe('nextDelay', () => {
  it('follows the published schedule, with a jitter of a tenth at most', () => {
    const [minute, hour] = [60, 3600];
    const published = [
      0,
      5,
      5 * minute,
      30 * minute,
      2 * hour,
      5 * hour,
      10 * hour,
      14 * hour,
      20 * hour,
      24 * hour,
    ];
    expect(delays(() => 0)).toEqual(published);
    delays(() => 1).forEach((delay, attempts) =>
      expect(delay).toBeCloseTo((published[attempts] ?? NaN) * 1.1),
    );
  });

  it('has a jitter of its own for each delay', () => {
    expect(new Set(Array.from({ length: 20 }, () => nextDelay(9, retrySeconds, null))).size).toBe(20);
  });

  it('gives up after the last', () => {
    expect(nextDelay(retrySeconds.length, retrySeconds, null)).toBeNull();
    expect(nextDelay(retrySeconds.length, retrySeconds, 60)).toBeNull();
  });

  it.each([
    ['longer than the schedule is waited for', 1, 60, 60],
    ['shorter than the schedule changes nothing', 2, 60, 300],
  ])('a pause that is %s', (_what, attempts, asked, expected) => {
    expect(nextDelay(attempts, retrySeconds, asked, () => 0)).toBe(expected);
  });
});

describe('pauseAsked', () => {
  it.each([
    [429, 60, 60],
    [503, 60, 60],
    [503, 1_000_000, 86_400],
    [503, null, null],
    [500, 60, null],
    [null, null, null],
  ])('of the answer %s with Retry-After %s is %s', (status, retryAfter, expected) => {
    expect(pauseAsked({ status, retryAfter })).toBe(expected);
  });
});
