import fc from 'fast-check';
import type { Result, Said } from '../registry-lookup.js';
import { type RdapResponse, readRdapAnswer } from './rdap-answer.js';

const RDAP = 'application/rdap+json';
const NOW = new Date('2026-11-20T12:00:00Z');
const NOT_FOUND = { errorCode: 404, title: 'Not Found', description: ['Object not found'] };

const CONFORMANT = { ...NOT_FOUND, rdapConformance: ['rdap_level_0'] };

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
  [
    'an object about another unicodeName',
    200,
    RDAP,
    domainObject({ unicodeName: 'thé.com.au' }),
    'not_understood',
  ],
  ['a unicodeName that is no text', 200, RDAP, domainObject({ unicodeName: null }), 'not_understood'],
  [
    'an object that names itself twice',
    200,
    RDAP,
    domainObject({ unicodeName: 'Coffee.com.au' }),
    'registered',
  ],
  ['PENDINGDELETE', 200, RDAP, domainObject({ status: ['PENDINGDELETE'] }), 'pending_delete'],
  ['REDEMPTIONPERIOD', 200, RDAP, domainObject({ status: ['REDEMPTIONPERIOD'] }), 'expired_hold'],
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
  ['RDAP not found marked as JSON only', 404, 'application/json', NOT_FOUND, 'not_understood'],
  ['JSON with a conformance list', 404, 'application/json', CONFORMANT, 'available'],
  ['the same behind a proxy that drops the type', 404, null, CONFORMANT, 'available'],
  ['a conformance list that is empty', 404, null, { ...NOT_FOUND, rdapConformance: [] }, 'not_understood'],
  [
    'a conformance list of another kind',
    404,
    null,
    { ...NOT_FOUND, rdapConformance: ['v2'] },
    'not_understood',
  ],
  ['nothing but the code', 404, RDAP, { errorCode: 404 }, 'available'],
  ['a description in one text', 404, RDAP, { ...NOT_FOUND, description: 'Domain not found.' }, 'available'],
  [
    'a name behind the wording',
    404,
    RDAP,
    { ...NOT_FOUND, description: ['Domain not found :', 'COFFEE.com.au'] },
    'available',
  ],
  [
    'two sentences',
    404,
    RDAP,
    { ...NOT_FOUND, description: ['Error 404: not found. The domain coffee.com.au does not exist.'] },
    'available',
  ],
  [
    'links and a language',
    404,
    RDAP,
    { ...NOT_FOUND, lang: 'en', links: [{ href: 'https://a.example' }] },
    'available',
  ],
  ['a learned wording', 404, RDAP, { ...NOT_FOUND, title: 'Nobody knows coffee.com.au, mate!' }, 'available'],
  ['an error code that is a text', 404, RDAP, { ...NOT_FOUND, errorCode: '404' }, 'available'],
  ['not found with terms of use', 404, RDAP, { ...NOT_FOUND, notices: [termsOfUse] }, 'available'],
  [
    'not found that quotes a name with such a word',
    404,
    RDAP,
    { ...NOT_FOUND, description: ['coffee.com.au was not found'] },
    'available',
  ],
  ['an empty 404 of RDAP', 404, RDAP, '', 'not_understood'],
  ['a conformance list only', 404, RDAP, { rdapConformance: ['rdap_level_0'] }, 'not_understood'],
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
    'reserved',
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
  ['bad request', 400, RDAP, { errorCode: 400 }, 'declined'],
  ['a name that is no name to them', 422, RDAP, { errorCode: 422, title: 'Invalid label' }, 'declined'],
  ['a bad request of RDAP without its type', 400, null, { ...CONFORMANT, errorCode: 400 }, 'declined'],
  ['a reserved name as a bad request', 400, RDAP, { errorCode: 400, title: 'Reserved' }, 'reserved'],
  ['a bad request that speaks of limits', 400, RDAP, { errorCode: 400, title: 'Quota' }, 'rate_limited'],
  ['a bad request of a gateway', 400, 'application/json', { error: 'bad' }, 'not_served'],
  ['a bad request with the code only', 400, 'application/json', { errorCode: 400 }, 'not_served'],
  ['a bad request as HTML', 400, 'text/html', '<h1>Header Too Large</h1>', 'not_served'],
  ['an empty bad request', 400, RDAP, '', 'not_served'],
  ['a bad request that says 404', 400, RDAP, NOT_FOUND, 'not_understood'],
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

/** What a 404 of RDAP can say beside "not found", and what it then is. */
const SAYINGS: [saying: string, outcome: string][] = [
  ['This name is reserved', 'reserved'],
  ['Reserved Name', 'reserved'],
  ['Not found. The domain is RESERVED by the registry.', 'reserved'],
  ['coffee.com.au cannot be registered', 'declined'],
  ['This label is restricted', 'declined'],
  ['The requested name is prohibited by policy', 'declined'],
  ['The name is withheld', 'declined'],
  ['This domain is blocked', 'declined'],
  ['Not available for registration', 'declined'],
  ['TLD not supported', 'not_served'],
  ['No RDAP service is available for this resource', 'not_served'],
  ['We are not authoritative for this', 'not_served'],
  ['Too many requests', 'rate_limited'],
  ['Daily limit reached', 'rate_limited'],
  ['Access denied', 'refused'],
  ['Your address 192.0.2.1 is blocked', 'refused'],
  ['Service temporarily unavailable', 'not_understood'],
  ['data not loaded', 'not_understood'],
  ['No endpoint', 'not_understood'],
  ['Auction pending', 'not_understood'],
  ['Please try again later', 'not_understood'],
  ['Not found, or maybe it is', 'not_understood'],
  ['tea.com.au was not found', 'not_understood'],
  ['www.coffee.com.au was not found', 'not_understood'],
  ['No route matched', 'not_understood'],
  ['Nоt found', 'not_understood'], // the o is Cyrillic
  ['Domain name not found \u0000 re\u200bserved', 'not_understood'],
  ['x'.repeat(3000), 'not_understood'],
];

const SAID: ((saying: string) => object)[] = [
  (title) => ({ title }),
  (saying) => ({ description: ['Object not found', saying] }),
  (title) => ({ notices: [termsOfUse, { title }] }),
  (saying) => ({ notices: [{ title: 'Notice', description: [saying] }] }),
  (saying) => ({ remarks: [{ description: saying }] }),
  (saying) => ({ status: [saying] }),
];

const HOSTILE: Row[] = [
  ...SAYINGS.flatMap(([saying, outcome]) =>
    SAID.map((says, place): Row => {
      const body = { ...CONFORMANT, ...says(saying) };
      return [`"${saying.slice(0, 60)}" in place ${place}`, 404, RDAP, body, outcome];
    }),
  ),
  ...SAYINGS.map(([errorMessage]): Row => [
    `"${errorMessage.slice(0, 60)}" of a gateway`,
    404,
    'application/json',
    { errorCode: 404, errorMessage },
    'not_understood',
  ]),
  ...[
    { objectClassName: 'domain' },
    { reason: 'reserved' },
    { message: 'not found' },
    { description: [{ text: 'reserved' }] },
    { title: 404 },
    { notices: 'none' },
    { notices: [{ title: 'Terms of Use', text: 'reserved' }] },
    { notices: [{ title: 'Terms of Use', description: ['This name is free from 2027 on.'] }] },
    { notices: [{ title: 'Terms of Use', description: ['Ask us about COFFEE.com.au'] }] },
    { notices: [['reserved']] },
    { remarks: [null] },
    { errorCode: [404] },
    { errorCode: 404.5 },
    { errorCode: true },
  ].map((changes): Row => [
    `an error with ${JSON.stringify(changes)}`,
    404,
    RDAP,
    { ...CONFORMANT, ...changes },
    'not_understood',
  ]),
  ...[1, 20, 60, 85].map((length): Row => [
    `the first ${length} characters of a "not found"`,
    404,
    RDAP,
    JSON.stringify(CONFORMANT).slice(0, length),
    'not_understood',
  ]),
];

describe('readRdapAnswer', () => {
  it.each(ANSWERS)('%s (%i, %s)', (_what, status, contentType, body, outcome) => {
    expect(outcomeOf({ status, contentType, retryAfter: null, body: asText(body) })).toBe(outcome);
  });

  it.each(HOSTILE)('%s', (_what, status, contentType, body, outcome) => {
    expect(outcomeOf({ status, contentType, retryAfter: null, body: asText(body) })).toBe(outcome);
  });

  it('has 200 hostile answers and calls none of them available', () => {
    const hostile = [...ANSWERS, ...HOSTILE].filter(([, , , , outcome]) => outcome !== 'available');
    expect(hostile.length).toBeGreaterThanOrEqual(200);
  });

  it('reads the day of registration', () => {
    const events = [
      { eventAction: 'last changed', eventDate: '2026-11-20T03:00:00Z' },
      { eventAction: 'registration', eventDate: '2026-11-19T03:00:05Z' },
      { eventAction: 'registration', eventDate: 'long ago' },
    ];
    expect(answerTo(200, domainObject({ events }))).toMatchObject({
      registeredAt: new Date('2026-11-19T03:00:05Z'),
    });
    for (const none of [undefined, 'x', [null], [{ eventAction: 'registration', eventDate: '7' }]])
      expect(answerTo(200, domainObject({ events: none }))).toMatchObject({ registeredAt: null });
  });

  it.each([
    [404, ['This name is reserved.'], 'This name is reserved.'],
    [404, ['Reserved: ask a@b.example, +61 2 5550 1234', 'ABN 33 051 775 556'], 'Reserved: ask … …'],
    [
      404,
      ['Object not found', 'Cannot be registered\r\n\u001b[31m today\u202e', 'Ask a@b.example'],
      'Cannot be registered [31m today',
    ],
    [400, [`Invalid label: ${'x'.repeat(500)}`], `Bad: Invalid label: ${'x'.repeat(139)}…`],
  ])('passes on why a name is turned down (%i, %j), in one short line', (errorCode, description, message) => {
    const title = errorCode === 404 ? 'Not Found' : 'Bad';
    expect(answerTo(errorCode, { errorCode, title, description })).toMatchObject({ answered: true, message });
  });

  it('calls quota.com.au available although its error quotes a word about limits', () => {
    const body = JSON.stringify({
      errorCode: 404,
      title: 'Not Found',
      description: ['The domain "QUOTA.com.au" was not found'],
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
        if (given.status !== 200) expect(outcome).not.toBe('registered');
      }),
      { numRuns: 500 },
    );
  });
});

const LEARNED = new Set(['nobody knows mate']);

function outcomeOf(response: RdapResponse): string {
  const result = readRdapAnswer('coffee.com.au', response, NOW, LEARNED);
  return result.answered ? result.state : result.reason;
}

function answerTo(status: number, body: object): Result<Said> {
  const response = { status, contentType: RDAP, retryAfter: null, body: JSON.stringify(body) };
  return readRdapAnswer('coffee.com.au', response, NOW);
}

function asText(body: unknown): string | null {
  if (body === null || typeof body === 'string') return body;
  try {
    return JSON.stringify(body) ?? '';
  } catch {
    return ''; // a bigint or a circle, which no JSON can carry
  }
}
