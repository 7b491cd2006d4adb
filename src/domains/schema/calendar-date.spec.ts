import { calendarDateOf, isCalendarDate } from './calendar-date.js';

describe('isCalendarDate', () => {
  it.each([
    '0001-01-01',
    '2026-01-31',
    '2026-04-30',
    '2026-11-20',
    '2026-12-31',
    '2028-02-29',
    '2000-02-29',
    '9999-12-31',
  ])('%s', (text) => {
    expect(isCalendarDate(text)).toBe(true);
  });

  it.each([
    // PostgreSQL knows no year 0.
    '0000-01-01',
    '2026-00-10',
    '2026-13-10',
    '2026-11-00',
    '2026-11-31',
    '2026-01-32',
    '2026-02-29',
    '2100-02-29',
    '2026-11-2',
    '2026-1-20',
    '226-11-20',
    '2026-11-20T00:00:00Z',
    ' 2026-11-20',
    '2026-11-20\n',
    '12026-11-20',
    '2026-11-200',
    'today',
    '',
  ])('not %j', (text) => {
    expect(isCalendarDate(text)).toBe(false);
  });
});

describe('calendarDateOf', () => {
  it.each([
    ['2026-11-20T00:00:00.000Z', undefined, '2026-11-20'],
    ['2026-11-20T23:59:59.999Z', undefined, '2026-11-20'],
    ['2026-12-31T12:00:00.000Z', 1, '2027-01-01'],
    ['2026-03-01T12:00:00.000Z', -1, '2026-02-28'],
  ])('%s and %s days: %s', (moment, plusDays, day) => {
    expect(calendarDateOf(new Date(moment), plusDays)).toBe(day);
  });
});
