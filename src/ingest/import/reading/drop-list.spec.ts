import { isPurgeApproximate, listKindIn, purgeTimeOf } from './drop-list.js';

describe('purgeTimeOf', () => {
  it.each([
    ['deleted', '2021-12-17T03:00:00Z'],
    ['expired', '2021-12-17T03:30:00Z'],
    [null, '2021-12-17T03:30:00Z'],
  ] as const)(
    "agrees with auDA's own example: eligible 16 December 2021 15:04:50 UTC, %s, purged on the 17th",
    (kind, expected) => {
      expect(purgeTimeOf('2021-12-16', '15:04:50', kind)).toEqual(new Date(expected));
    },
  );

  it.each([
    ['00:00:00', '2025-09-30T03:00:00Z', '2025-09-30T03:30:00Z'],
    ['02:59:59', '2025-09-30T03:00:00Z', '2025-09-30T03:30:00Z'],
    ['03:00:00', '2025-10-01T03:00:00Z', '2025-10-01T03:30:00Z'],
    ['03:15:00', '2025-10-01T03:00:00Z', '2025-10-01T03:30:00Z'],
    ['23:59:59', '2025-10-01T03:00:00Z', '2025-10-01T03:30:00Z'],
  ])(
    'eligible at %s UTC is purged by %s when deleted, by %s when expired or unknown',
    (time, deleted, expired) => {
      expect(purgeTimeOf('2025-09-30', time, 'deleted')).toEqual(new Date(deleted));
      expect(purgeTimeOf('2025-09-30', time, 'expired')).toEqual(new Date(expired));
      expect(purgeTimeOf('2025-09-30', time, null)).toEqual(new Date(expired));
    },
  );

  it('knows no daylight saving: the run is at the same UTC time in January and July', () => {
    expect(purgeTimeOf('2025-01-15', '01:00:00', 'deleted')).toEqual(new Date('2025-01-15T03:00:00Z'));
    expect(purgeTimeOf('2025-07-15', '01:00:00', 'deleted')).toEqual(new Date('2025-07-15T03:00:00Z'));
  });

  it('takes other times for the runs, of which the later counts when the kind is not known', () => {
    const runs = { deleted: '14:00:00', expired: '13:00:00' };
    expect(purgeTimeOf('2025-09-30', '13:59:59', 'deleted', runs)).toEqual(new Date('2025-09-30T14:00:00Z'));
    expect(purgeTimeOf('2025-09-30', '14:00:00', 'deleted', runs)).toEqual(new Date('2025-10-01T14:00:00Z'));
    expect(purgeTimeOf('2025-09-30', '00:00:00', null, runs)).toEqual(new Date('2025-09-30T14:00:00Z'));
  });
});

describe('listKindIn', () => {
  it.each([
    ['/lists/Deleted-2026-11-20.csv', 'deleted'],
    ['https://lists.example/domain-drop-lists/expired', 'expired'],
    ['deleted-and-expired.csv', null],
    ['names.csv', null],
  ] as const)('%s is of the kind %s', (name, kind) => {
    expect(listKindIn(name)).toBe(kind);
  });
});

describe('whether a purge may come a day earlier', () => {
  it.each([
    ['expired', '02:59:59', false],
    ['expired', '03:00:00', true],
    ['expired', '03:29:59', true],
    ['expired', '03:30:00', false],
    ['deleted', '03:15:00', false],
    [null, '03:15:00', true],
    [null, '12:00:00', false],
  ] as const)('of a name on the list %s that is due at %s: %s', (kind, time, expected) => {
    expect(isPurgeApproximate(time, kind)).toBe(expected);
  });
});
