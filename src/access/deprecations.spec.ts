import { DEPRECATIONS, type Deprecation, deprecationHeaders, MIN_NOTICE_DAYS } from './deprecations.js';

const DAY_MS = 86_400_000;
const row: Deprecation = {
  operation: 'GET /v1/old',
  parameter: null,
  since: '2026-11-22',
  sunset: '2027-02-20',
  instead: '`GET /v2/new`',
};
const PAGE = 'https://bowerbird.example/changelog';

describe('the headers of what is deprecated', () => {
  it('say since when, until when and where to read more', () => {
    expect(deprecationHeaders([row], PAGE)).toEqual({
      Deprecation: '@1795305600',
      Sunset: 'Sat, 20 Feb 2027 00:00:00 GMT',
      Link: '<https://bowerbird.example/changelog>; rel="deprecation"; type="text/html"',
    });
  });

  it('say the earliest of several, and no end where there is none', () => {
    const others = [{ ...row, since: '2026-12-01', sunset: '2027-05-01' }, row, { ...row, sunset: null }];
    expect(deprecationHeaders(others, PAGE)).toMatchObject({
      Deprecation: '@1795305600',
      Sunset: 'Sat, 20 Feb 2027 00:00:00 GMT',
    });
    expect(deprecationHeaders([{ ...row, sunset: null }], PAGE)).not.toHaveProperty('Sunset');
  });
});

it('every row of the table gives the notice that is promised', () => {
  for (const { since, sunset } of DEPRECATIONS) {
    expect(new Date(since).toISOString()).toBe(`${since}T00:00:00.000Z`);
    if (sunset !== null)
      expect(Date.parse(sunset) - Date.parse(since)).toBeGreaterThanOrEqual(MIN_NOTICE_DAYS * DAY_MS);
  }
});
