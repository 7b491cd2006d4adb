import fc from 'fast-check';
import { TIERS, type Tier } from '../../tiers/tiers.js';
import { lengthInSeconds, resetInSeconds, windowsAt } from './budget-window.js';

const quotaOf = (period: 'hour' | 'month'): Tier => ({ ...TIERS.starter, quota: { period, records: 100 } });
const anyMoment = fc.date({ min: new Date('2024-01-01'), max: new Date('2030-12-31'), noInvalidDate: true });

describe('windowsAt', () => {
  it.each([
    ['hour', '2026-11-20T21:59:59.999Z', '2026-11-20T22:00:00.000Z', 3600],
    ['month', '2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00.000Z', 28 * 86_400],
    ['month', '2026-12-31T23:59:59.000Z', '2027-01-01T00:00:00.000Z', 31 * 86_400],
    ['month', '2028-02-29T12:00:00.000Z', '2028-03-01T00:00:00.000Z', 29 * 86_400],
  ] as const)('a %s at %s ends at %s', (period, now, end, length) => {
    const [, quota] = windowsAt(quotaOf(period), 'key:1', new Date(now));
    expect(quota?.endsAt.toISOString()).toBe(end);
    expect(quota && lengthInSeconds(quota)).toBe(length);
  });

  it('a caller who waits as long as told meets another window', () => {
    fc.assert(
      fc.property(anyMoment, fc.constantFrom('hour' as const, 'month' as const), (now, period) => {
        for (const [index, window] of windowsAt(quotaOf(period), 'key:1', now).entries()) {
          const later = new Date(now.getTime() + resetInSeconds(window, now) * 1000);
          expect(windowsAt(quotaOf(period), 'key:1', later)[index]?.key).not.toBe(window.key);
          expect(window.endsAt.getTime()).toBeGreaterThan(now.getTime());
        }
      }),
    );
  });

  it('keeps one key to the end of the window, and different callers apart', () => {
    fc.assert(
      fc.property(anyMoment, (now) => {
        const [window] = windowsAt(TIERS.demo, 'ip:1.2.3.4', now);
        const last = new Date((window?.endsAt.getTime() ?? 0) - 1);
        expect(windowsAt(TIERS.demo, 'ip:1.2.3.4', last)[0]?.key).toBe(window?.key);
        expect(windowsAt(TIERS.demo, 'ip:1.2.3.5', now)[0]?.key).not.toBe(window?.key);
      }),
    );
  });
});
