import { dailyBackups, keptBackups } from './retention.js';

const takenOn = (...days: string[]) => days.map((day) => ({ takenAt: new Date(day) }));
const daysOf = (backups: readonly { takenAt: Date }[]) =>
  backups.map(({ takenAt }) => takenAt.toISOString().slice(0, 10));

/** One of each day, the newest first. */
function year(): { takenAt: Date }[] {
  return Array.from({ length: 365 }, (_, day) => ({
    takenAt: new Date(Date.UTC(2026, 10, 24, 2) - day * 86_400_000),
  }));
}

describe('keptBackups', () => {
  it('keeps the newest of so many days, weeks and months, and no more', () => {
    const kept = daysOf(keptBackups(year(), { days: 3, weeks: 2, months: 4 }));
    // Weeks begin on Thursday, as the epoch did.
    expect(kept).toEqual([
      '2026-11-24',
      '2026-11-23',
      '2026-11-22',
      '2026-11-18',
      '2026-10-31',
      '2026-09-30',
      '2026-08-31',
    ]);
  });

  it('keeps the last ones when no more are made, however old they are', () => {
    const old = takenOn('2020-01-01T02:00Z', '2020-01-02T02:00Z', '2020-01-03T02:00Z');
    expect(daysOf(keptBackups(old, { days: 2, weeks: 0, months: 0 }))).toEqual(['2020-01-03', '2020-01-02']);
  });

  it('of a day with several keeps the newest', () => {
    const twice = takenOn('2026-11-24T02:00Z', '2026-11-24T09:00Z');
    expect(keptBackups(twice, { days: 7, weeks: 4, months: 6 })).toEqual(takenOn('2026-11-24T09:00Z'));
  });

  it('keeps each backup that it kept the day before, until its period is over', () => {
    const retention = { days: 7, weeks: 4, months: 6 };
    let held: { takenAt: Date }[] = [];
    for (const backup of year().reverse()) held = keptBackups([...held, backup], retention);
    // What was deleted day by day leaves as many weeks and months as were to be kept.
    expect(held).toHaveLength(keptBackups(year(), retention).length);
    expect(dailyBackups(held, 7)).toHaveLength(7);
  });
});
