import fc from 'fast-check';
import { type RdapResponse, readRdapAnswer } from './rdap-answer.js';

const RDAP = 'application/rdap+json';
const NOW = new Date('2026-11-20T12:00:00Z');
const NOT_FOUND = { errorCode: 404, title: 'Not Found', description: ['Object not found'] };

const domainObject = (changes: object = {}) => ({
  rdapConformance: ['rdap_level_0'],
  objectClassName: 'domain',
  ldhName: 'coffee.com.au',
  status: ['active'],
  ...changes,
});
const termsOfUse = {
  title: 'Terms of Use',
  description: ['Queries are rate limited; access may be blocked when a quota is exceeded.'],
};

/** One row: what it is, the HTTP status, the media type, the body, and the state or the reason for having none. */
type Row = [what: string, status: number, contentType: string | null, body: unknown, outcome: string];

const ANSWERS: Row[] = [
  ['a domain object', 200, RDAP, domainObject(), 'registered'],
  ['a domain object with charset', 200, `${RDAP}; charset=utf-8`, domainObject(), 'registered'],
  ['a domain object marked as JSON', 200, 'application/json', domainObject(), 'registered'],
  [
    'a name in capitals with a final dot',
    200,
    RDAP,
    domainObject({ ldhName: 'COFFEE.COM.AU.' }),
    'registered',
  ],
  ['an object that does not name itself', 200, RDAP, domainObject({ ldhName: undefined }), 'registered'],
  ['an object without status', 200, RDAP, domainObject({ status: undefined }), 'registered'],
  ['an unknown status', 200, RDAP, domainObject({ status: ['wondrous'] }), 'registered'],
  ['a status that is no list', 200, RDAP, domainObject({ status: 'pending delete' }), 'pending_delete'],
  ['server renew prohibited', 200, RDAP, domainObject({ status: ['server renew prohibited'] }), 'registered'],
  ['terms of use that speak of limits', 200, RDAP, domainObject({ notices: [termsOfUse] }), 'registered'],
  [
    'redemption period',
    200,
    RDAP,
    domainObject({ status: ['redemption period', 'server hold'] }),
    'expired_hold',
  ],
  [
    'redemptionPeriod in EPP spelling',
    200,
    RDAP,
    domainObject({ status: ['redemptionPeriod'] }),
    'expired_hold',
  ],
  ['pending delete', 200, RDAP, domainObject({ status: ['pending delete'] }), 'pending_delete'],
  ['pendingDelete in EPP spelling', 200, RDAP, domainObject({ status: ['pendingDelete'] }), 'pending_delete'],
  [
    'pending delete on hold',
    200,
    RDAP,
    domainObject({ status: ['pending delete', 'server hold'] }),
    'pending_purge',
  ],
  [
    'pending delete in redemption',
    200,
    RDAP,
    domainObject({ status: ['redemption period', 'pending delete'] }),
    'pending_purge',
  ],
  ['reserved', 200, RDAP, domainObject({ status: ['reserved'] }), 'reserved'],
  [
    'an object whose status says available',
    200,
    RDAP,
    domainObject({ status: ['available'] }),
    'not_understood',
  ],
  ['an object about another name', 200, RDAP, domainObject({ ldhName: 'tea.com.au' }), 'not_understood'],
  ['an object whose name is no text', 200, RDAP, domainObject({ ldhName: 7 }), 'not_understood'],
  ['a name server', 200, RDAP, { objectClassName: 'nameserver', ldhName: 'coffee.com.au' }, 'not_understood'],
  [
    'a rate-limit notice and nothing else',
    200,
    RDAP,
    { notices: [{ title: 'Rate Limit', description: ['Slow down'] }] },
    'rate_limited',
  ],
  [
    'a limit told in the description',
    200,
    RDAP,
    { notices: [{ description: ['Too many queries'] }] },
    'rate_limited',
  ],
  [
    'some other notice and nothing else',
    200,
    RDAP,
    { notices: [{ title: '401', description: [] }] },
    'not_understood',
  ],
  ['errorCode 429 inside a 200', 200, RDAP, { errorCode: 429, title: 'Too Many Requests' }, 'rate_limited'],
  ['errorCode 404 inside a 200', 200, RDAP, NOT_FOUND, 'not_understood'],
  ['errorCode 403 inside a 200', 200, RDAP, { errorCode: 403 }, 'refused'],
  ['errorCode 500 inside a domain object', 200, RDAP, domainObject({ errorCode: 500 }), 'failing'],
  ['an empty object', 200, RDAP, {}, 'not_understood'],
  ['a list', 200, RDAP, [domainObject()], 'not_understood'],
  ['the word null', 200, RDAP, 'null', 'not_understood'],
  ['an empty 200', 200, RDAP, '', 'not_understood'],
  ['a cut-off object', 200, RDAP, '{"objectClassName":"domain","ldhName":"coffee.co', 'not_understood'],
  ['an HTML page', 200, 'text/html', '<html><title>Welcome</title></html>', 'not_understood'],
  ['a body that is too large', 200, RDAP, null, 'too_large'],

  ['RDAP not found', 404, RDAP, NOT_FOUND, 'available'],
  ['RDAP not found with charset', 404, 'Application/RDAP+JSON;charset=UTF-8', NOT_FOUND, 'available'],
  ['RDAP not found marked as JSON', 404, 'application/json', NOT_FOUND, 'available'],
  ['an error code that is a text', 404, null, { ...NOT_FOUND, errorCode: '404' }, 'available'],
  ['not found with terms of use', 404, RDAP, { ...NOT_FOUND, notices: [termsOfUse] }, 'available'],
  [
    'not found that quotes a name with such a word',
    404,
    RDAP,
    { ...NOT_FOUND, description: ['No coffee.com.au here'] },
    'available',
  ],
  ['an empty 404 of RDAP', 404, RDAP, '', 'available'],
  ['a conformance list only', 404, 'application/json', { rdapConformance: ['rdap_level_0'] }, 'available'],
  ['an empty 404 of somebody', 404, null, '', 'not_understood'],
  ['an empty 404 of a web server', 404, 'text/html', '', 'not_understood'],
  ['an HTML 404', 404, 'text/html', '<h1>404 Not Found</h1>', 'not_understood'],
  ['an HTML 404 marked as RDAP', 404, RDAP, '<h1>404 Not Found</h1>', 'not_understood'],
  [
    'JSON of a gateway',
    404,
    'application/json',
    { message: 'no Route matched with those values' },
    'not_understood',
  ],
  ['a media type that only begins like RDAP', 404, `${RDAP}x`, { message: 'no' }, 'not_understood'],
  ['a 404 that holds an object', 404, RDAP, domainObject(), 'not_understood'],
  ['a 404 with errorCode 429', 404, RDAP, { errorCode: 429 }, 'rate_limited'],
  ['a 404 with errorCode 500', 404, RDAP, { errorCode: 500 }, 'failing'],
  ['a 404 with an error code of no sense', 404, RDAP, { errorCode: {} }, 'not_understood'],
  ['a 404 that says: too many', 404, RDAP, { ...NOT_FOUND, title: 'Too many requests' }, 'rate_limited'],
  [
    'a 404 with a limit notice and no code',
    404,
    RDAP,
    { notices: [{ title: 'Rate limit exceeded' }] },
    'rate_limited',
  ],
  [
    'a 404 for a withheld name',
    404,
    RDAP,
    { ...NOT_FOUND, description: ['This name is reserved'] },
    'not_served',
  ],
  [
    'a 404 for a foreign suffix',
    404,
    RDAP,
    { ...NOT_FOUND, description: ['TLD not supported'] },
    'not_served',
  ],
  ['a 404 that is too large', 404, RDAP, null, 'too_large'],

  ['too many requests', 429, RDAP, { errorCode: 429 }, 'rate_limited'],
  ['unauthorized', 401, null, '', 'refused'],
  ['forbidden', 403, 'text/html', 'error code: 1014', 'refused'],
  ['bad request', 400, RDAP, { errorCode: 400 }, 'not_served'],
  ['not implemented', 501, RDAP, { errorCode: 501 }, 'not_served'],
  ['a fault', 500, RDAP, { errorCode: 500 }, 'failing'],
  ['a fault with the body of a not found', 500, RDAP, NOT_FOUND, 'failing'],
  ['bad gateway', 502, 'text/html', '<h1>Bad Gateway</h1>', 'failing'],
  ['unavailable', 503, null, '', 'failing'],
  ['gateway timeout', 504, null, '', 'failing'],
  ['moved for good', 301, null, '', 'not_understood'],
  ['moved for now, with an object', 302, RDAP, domainObject(), 'not_understood'],
  ['no content', 204, null, '', 'not_understood'],
  ['a part of an object', 206, RDAP, domainObject(), 'not_understood'],
  ['gone', 410, RDAP, NOT_FOUND, 'not_understood'],
  ['a teapot', 418, null, '', 'not_understood'],
];

describe('readRdapAnswer', () => {
  it.each(ANSWERS)('%s (%i, %s)', (_what, status, contentType, body, outcome) => {
    expect(outcomeOf({ status, contentType, retryAfter: null, body: asText(body) })).toBe(outcome);
  });

  it('has a table of at least 40 answers', () => {
    expect(ANSWERS.length).toBeGreaterThanOrEqual(40);
  });

  it('calls quota.com.au available although its error quotes a word about limits', () => {
    const body = JSON.stringify({
      errorCode: 404,
      title: 'Not Found',
      description: ['QUOTA.com.au not found'],
    });
    const result = readRdapAnswer(
      'quota.com.au',
      { status: 404, contentType: RDAP, retryAfter: null, body },
      NOW,
    );
    expect(result).toEqual({ answered: true, state: 'available' });
  });

  it('passes on when to come back', () => {
    const response = {
      status: 429,
      contentType: null,
      retryAfter: 'Fri, 20 Nov 2026 12:01:00 GMT',
      body: '',
    };
    expect(readRdapAnswer('coffee.com.au', response, NOW)).toMatchObject({ retryAfterSeconds: 60 });
  });

  it('never repeats what a body said', () => {
    const secret = 'Jane Citizen';
    for (const [, status, contentType] of ANSWERS) {
      const body = JSON.stringify({
        errorCode: secret,
        title: secret,
        objectClassName: secret,
        ldhName: secret,
      });
      const result = readRdapAnswer('coffee.com.au', { status, contentType, retryAfter: secret, body }, NOW);
      expect(JSON.stringify(result)).not.toContain('Citizen');
    }
  });

  it('never throws, and says available to nothing but a 404', () => {
    const response: fc.Arbitrary<RdapResponse> = fc.record({
      status: fc.oneof(fc.constantFrom(200, 404, 429, 500), fc.integer({ min: 100, max: 999 })),
      contentType: fc.oneof(fc.constantFrom(null, RDAP, 'text/html'), fc.string()),
      retryAfter: fc.option(fc.string()),
      body: fc.option(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.anything().map((value) => asText(value) ?? ''),
        ),
      ),
    });
    fc.assert(
      fc.property(response, (given) => {
        const outcome = outcomeOf(given);
        if (outcome === 'available') expect(given.status).toBe(404);
        if (given.status !== 200 && given.status !== 404) expect(outcome).not.toBe('registered');
      }),
      { numRuns: 500 },
    );
  });
});

function outcomeOf(response: RdapResponse): string {
  const result = readRdapAnswer('coffee.com.au', response, NOW);
  return result.answered ? result.state : result.reason;
}

function asText(body: unknown): string | null {
  if (body === null || typeof body === 'string') return body;
  try {
    return JSON.stringify(body) ?? '';
  } catch {
    return ''; // a bigint or a circle, which no JSON can carry
  }
}
