import {
  boundsOfDay,
  calendarDateOf,
  dayInPurgeZone,
  isCalendarDate,
  PURGE_ZONE,
  timeInPurgeZone,
  toPurgeZone,
} from './calendar-date.js';

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

const PURGE = new Date('2021-12-17T03:00:00Z');

describe('the zone of the registry', () => {
  it.each(['2021-12-17T03:00:00Z', '2021-06-17T03:30:00Z', '2026-12-31T14:00:00Z', '2026-10-04T16:00:00Z'])(
    'is that of Brisbane at %s, daylight saving elsewhere or not',
    (text) => {
      const moment = new Date(text);
      const there = new Intl.DateTimeFormat('sv-SE', {
        timeZone: PURGE_ZONE,
        dateStyle: 'short',
        timeStyle: 'medium',
      }).format(moment);
      expect(toPurgeZone(moment)).toBe(`${there.replace(' ', 'T')}+10:00`);
    },
  );

  it('has its own days', () => {
    expect([dayInPurgeZone(PURGE), timeInPurgeZone(PURGE)]).toEqual(['2021-12-17', '13:00']);
    expect(dayInPurgeZone(new Date('2021-12-17T13:59:59.999Z'))).toBe('2021-12-17');
    expect(dayInPurgeZone(new Date('2021-12-17T14:00:00Z'))).toBe('2021-12-18');
    expect([-1, 1].map((days) => dayInPurgeZone(PURGE, days))).toEqual(['2021-12-16', '2021-12-18']);
    expect(boundsOfDay('2021-12-17')).toEqual({
      from: new Date('2021-12-16T14:00:00Z'),
      to: new Date('2021-12-17T14:00:00Z'),
    });
  });
});
