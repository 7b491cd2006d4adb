import { ageOf } from './rdap-lookup.js';

describe('ageOf', () => {
  it.each([
    [null, null, 0],
    ['0', 'Fri, 20 Nov 2026 12:00:00 GMT', 0],
    [' 90 ', null, 90],
    ['90', 'Fri, 20 Nov 2026 11:59:59 GMT', 90],
    ['90', 'Fri, 20 Nov 2026 11:00:00 GMT', 3600],
    [null, 'Fri, 20 Nov 2026 11:59:00 GMT', 60],
    [null, 'Fri, 20 Nov 2026 11:59:58 GMT', 0],
    [null, 'Fri, 20 Nov 2026 13:00:00 GMT', 0],
    ['-1', 'yesterday', 0],
    ['9', ' Fri, 20 Nov 2026 11:59:00 GMT ', 60],
    ['90x', null, 0],
    ['x90', null, 0],
    ['999999999', null, 999_999_999],
    ['9'.repeat(400), null, 50 * 365 * 86_400],
    // RFC 9111, 1.2.2: what a cache says of an age that it cannot count; more than the column of ages holds.
    ['2147483648', null, 50 * 365 * 86_400],
    // Of several the oldest.
    ['0, 90', null, 90],
    ['90, x', null, 90],
    [null, 'Fri, 20 Nov 2026 12:00:00 GMT, Fri, 20 Nov 2026 11:59:00 GMT', 60],
    [null, 'Friday, 20 Nov 2026 11:59:00 GMT', 60],
    ['soon', '2026-11-20', 0],
  ])('of Age %s and Date %s is %s s', (age, date, seconds) => {
    expect(ageOf(age, date, new Date('2026-11-20T12:00:00Z'))).toBe(seconds * 1000);
  });
});
