import { recheckAlarms, recheckNoticedAfter } from './rechecks.js';
import { ALL_OFFERS, coverageOf, falseAlarms, noticedAfter } from './measure.js';

describe('the published share of false offers', () => {
  it('covers the truth of a known world in 9 of 10 windows of each length', () => {
    const rows = coverageOf(27, 40);
    expect(rows).toHaveLength(3 * 8);
    const told = rows.filter(({ windows }) => windows > 0);
    expect(told.filter(({ covered, windows }) => covered < 0.9 * windows)).toEqual([]);
    const always = told.filter(({ of }) => of === 'all' || of === 'first 100');
    expect(always.map(({ windows, tooFew }) => windows + tooFew)).toEqual(Array(6).fill(40));
    expect(always.map(({ tooFew }) => tooFew <= 8)).toEqual(Array(6).fill(true));
  });

  it('calls chance a change a few times a year at most', () => {
    expect(falseAlarms(7, 4, 0.01)).toBeLessThanOrEqual(12);
  });

  it('notices within a day that five times as many offers are false', () => {
    const hours = noticedAfter(7, 20, { from: 0.01, to: 0.05, of: ALL_OFFERS });
    expect(hours).not.toContain(null);
  });

  it('is foreseen by re-checks: names taken twice as fast are noticed within a day 9 times in 10', () => {
    const hours = recheckNoticedAfter(7, 50, { takenPerDay: 200, factor: 2 });
    expect(hours.filter((one) => one !== null).length).toBeGreaterThanOrEqual(45);
    expect(recheckAlarms(7, 2, 200)).toBeLessThanOrEqual(6);
  });
});
