import { purgeTimeOf } from './drop-list.js';

describe('purgeTimeOf', () => {
  it("agrees with auDA's own example: eligible 16 December 2021 15:04:50 UTC, purged on the 17th", () => {
    expect(purgeTimeOf('2021-12-16', '15:04:50')).toEqual(new Date('2021-12-17T03:30:00Z'));
  });

  it.each([
    ['00:00:00', '2025-09-30T03:30:00Z'],
    ['02:59:59', '2025-09-30T03:30:00Z'],
    ['03:00:00', '2025-10-01T03:30:00Z'],
    ['23:59:59', '2025-10-01T03:30:00Z'],
  ])('eligible at %s UTC is purged by %s', (time, expected) => {
    expect(purgeTimeOf('2025-09-30', time)).toEqual(new Date(expected));
  });

  it('knows no daylight saving: the run is at the same UTC time in January and July', () => {
    expect(purgeTimeOf('2025-01-15', '01:00:00')).toEqual(new Date('2025-01-15T03:30:00Z'));
    expect(purgeTimeOf('2025-07-15', '01:00:00')).toEqual(new Date('2025-07-15T03:30:00Z'));
  });
});
