import { ageInDays, nextAskAt, type OfferedName } from './next-ask.js';
import { priorTable } from './rate-table.js';
import { FIRST_THRESHOLD } from './threshold.js';

const checkedAt = new Date('2026-03-01T03:10:00Z');
const name = { droppedAt: checkedAt, wayback: 40, checkedAt };
const hoursUntilAsked = (changes: Partial<OfferedName>) =>
  (nextAskAt({ ...name, ...changes }, priorTable(), FIRST_THRESHOLD).getTime() - checkedAt.getTime()) /
  3_600_000;

describe('nextAskAt', () => {
  it('comes after the last answer', () => {
    expect(hoursUntilAsked({})).toBeGreaterThan(0);
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

  it('counts the age in days since the drop', () => {
    expect(ageInDays(name, new Date('2026-03-03T15:10:00Z'))).toBe(2.5);
  });
});
