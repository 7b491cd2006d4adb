import { compareRechecks, type RecheckDay } from './recheck-change.js';

const before = (of: (day: number) => Partial<RecheckDay> = () => ({})): RecheckDay[] =>
  Array.from({ length: 30 }, (_, place) => ({
    ...{ day: place + 1, asked: 30_000, taken: 300, expected: 200, ...of(place + 1) },
  }));
const today = (taken: number, expected = 200): RecheckDay => ({ day: 0, asked: 30_000, taken, expected });

describe('compareRechecks', () => {
  it('sees twice as many, and half as many, as the days before had of what was expected', () => {
    expect(compareRechecks([today(600), ...before()])).toMatchObject({
      ...{ change: 'rise', day: { sampled: 30_000, taken: 600 }, before: { sampled: 900_000, taken: 9_000 } },
    });
    expect(compareRechecks([today(150), ...before()]).change).toBe('fall');
    expect(compareRechecks([today(320), ...before()]).change).toBe('none');
  });

  it('takes no other questions for a change: more were expected of them', () => {
    expect(compareRechecks([today(600, 400), ...before()]).change).toBe('none');
    expect(compareRechecks([today(300, 100), ...before()]).change).toBe('rise');
  });

  it('allows for days that differ by more than chance', () => {
    const weekends = before((day) => ({ taken: day % 7 < 2 ? 150 : 360 }));
    expect(compareRechecks([today(420), ...before()]).change).toBe('rise');
    expect(compareRechecks([today(420), ...weekends]).change).toBe('none');
  });

  it('has the chance of the exact tables where days differ by no more than chance', () => {
    // Student's t of 3.396 with 30 degrees of freedom has 0.1 % in one tail; here 29, and half of it each way.
    const { chance } = compareRechecks([today(300 + 3.396 * Math.sqrt(300)), ...before()]);
    expect(chance).toBeGreaterThan(0.0019);
    expect(chance).toBeLessThan(0.0027);
  });

  it.each([
    ['a week is not there', [today(600), ...before().slice(0, 6)]],
    ['few are expected', [today(40, 12), ...before()]],
    ['nothing was asked in the last day', before()],
    ['nothing was ever asked', []],
  ])('says nothing where %s', (_, days) => {
    expect(compareRechecks(days)).toMatchObject({ change: 'too_few', chance: null });
  });
});
