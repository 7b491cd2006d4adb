import type { OfferedName } from '../lifecycle/lifecycle.js';
import { ageInDays, nextAskAt } from './next-ask.js';
import { priorTable } from './rate-table.js';
import { FIRST_THRESHOLD } from './threshold.js';

const checkedAt = new Date('2026-03-01T03:10:00Z');
const name = { droppedAt: checkedAt, wayback: 40, checkedAt };
const hoursUntilAsked = (changes: Partial<OfferedName>) =>
  (nextAskAt({ ...name, ...changes }, priorTable(), FIRST_THRESHOLD.current).getTime() -
    checkedAt.getTime()) /
  3_600_000;

describe('nextAskAt', () => {
  it('comes after the last answer', () => {
    expect(hoursUntilAsked({})).toBeGreaterThan(0);
  });

  it('asks about no name more often than every hour', () => {
    expect(nextAskAt({ ...name, wayback: 50_000 }, priorTable(), 1e-9).getTime() - checkedAt.getTime()).toBe(
      3_600_000,
    );
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
      (nextAskAt(old, priorTable(), threshold, maxAge).getTime() - checkedAt.getTime()) / 86_400_000;
    expect(days(0.05)).toBeGreaterThan(120);
    expect(days(0.05, 120)).toBeCloseTo(114, 6);
    expect(days(5, 120)).toBe(days(5));
  });

  it('counts the age in days since the drop', () => {
    expect(ageInDays(name, new Date('2026-03-03T15:10:00Z'))).toBe(2.5);
  });
});
