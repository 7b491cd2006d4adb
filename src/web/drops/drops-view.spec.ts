import { monthOf, shownDays } from './drops-view.js';

it.each([
  ['2026-11-23', 6, 6, 30, '2026-10-31', '2026-12-02'],
  ['2026-02-28', 5, 6, 28, '2026-01-31', '2026-03-04'],
  ['2028-02-01', 5, 1, 29, '2028-01-31', '2028-03-03'],
])('the month of %s', (day, weeks, blanks, days, previous, next) => {
  const month = monthOf(day);
  expect(month.weeks).toHaveLength(weeks);
  const all = month.weeks.flat();
  expect(all.indexOf(`${day.slice(0, 7)}-01`)).toBe(blanks);
  expect(all.filter((one) => one !== null)).toHaveLength(days);
  expect([month.previous, month.next]).toEqual([previous, next]);
  expect([month.first, month.last]).toEqual([`${day.slice(0, 7)}-01`, `${day.slice(0, 7)}-${days}`]);
});

it.each([
  ['2026-10-31', '2026-10-01', '2026-11-02'],
  ['2026-11-15', '2026-10-17', '2026-11-30'],
])(
  'the page of %s counts the days of its chart, its month, and those that it leads to',
  (day, first, last) => {
    expect(shownDays(day)).toMatchObject({ first, last });
  },
);
