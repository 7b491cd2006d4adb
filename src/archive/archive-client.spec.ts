import { restAfter, retryAfter } from './archive-client.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

describe('restAfter', () => {
  it.each([
    ['rate_limited', undefined, 1, HOUR_MS],
    ['rate_limited', 120, 1, 2 * MINUTE_MS],
    ['rate_limited', 0, 1, MINUTE_MS],
    ['rate_limited', 7200, 9, 2 * HOUR_MS],
    ['refused', undefined, 1, HOUR_MS],
    ['unreachable', undefined, 1, HOUR_MS],
    ['excluded', undefined, 9, 0],
    ['timeout', undefined, 4, 0],
    ['timeout', undefined, 5, 10 * MINUTE_MS],
    ['failing', undefined, 100, 10 * MINUTE_MS],
  ] as const)(
    '%s with Retry-After %j, failure %i in a row: %i ms',
    (reason, retryAfterSeconds, failures, ms) => {
      expect(restAfter({ reason, retryAfterSeconds }, failures)).toBe(ms);
    },
  );
});

describe('retryAfter', () => {
  it.each([
    ['timeout', 1, 1],
    ['timeout', 2, 4],
    ['cut_off', 4, 64],
    ['unreachable', 6, 720],
    ['unreachable', 1000, 720],
    ['excluded', 1, 720],
  ] as const)('%s, failure %i: %i hours', (reason, failures, hours) => {
    expect(retryAfter(reason, failures)).toBe(hours * HOUR_MS);
  });
});
