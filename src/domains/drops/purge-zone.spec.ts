import { boundsOfDay, dayInPurgeZone, PURGE_ZONE, timeInPurgeZone, toPurgeZone } from './purge-zone.js';

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
    expect(boundsOfDay('2021-12-17')).toEqual({
      from: new Date('2021-12-16T14:00:00Z'),
      to: new Date('2021-12-17T14:00:00Z'),
    });
  });
});
