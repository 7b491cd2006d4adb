import fc from 'fast-check';
import {
  asText,
  COFFEE,
  CONFORMANT,
  domainObject,
  NOT_FOUND,
  NOW,
  outcomeOf,
  RDAP,
  termsOfUse,
} from '../../test/support/rdap-bodies.js';
import type { Result, Said } from './answer.js';
import type { RdapResponse } from './evidence.js';
import { hasRepeatedKey } from './json-shape.js';
import { readRdapAnswer, stateOfStatuses } from './rdap-answer.js';

/** What a domain object says beside its name, and what it then is. */
const OBJECTS: [what: string, changes: object, outcome: string][] = [
  ['a name in capitals with a final dot', { ldhName: 'COFFEE.COM.AU.' }, 'registered'],
  ['an object that does not name itself', { ldhName: undefined }, 'registered'],
  ['an object without status', { status: undefined }, 'registered'],
  ['an unknown status', { status: ['wondrous'] }, 'registered'],
  ['a status that is no list', { status: 'pending delete' }, 'pending_delete'],
  ['server renew prohibited', { status: ['server renew prohibited'] }, 'registered'],
  ['terms of use that speak of limits', { notices: [termsOfUse] }, 'registered'],
  ['redemption period', { status: ['redemption period', 'server hold'] }, 'expired_hold'],
  ['redemptionPeriod in EPP spelling', { status: ['redemptionPeriod'] }, 'expired_hold'],
  ['pending delete', { status: ['pending delete'] }, 'pending_delete'],
  ['pendingDelete in EPP spelling', { status: ['pendingDelete'] }, 'pending_delete'],
  ['pending delete on hold', { status: ['pending delete', 'server hold'] }, 'pending_purge'],
  ['pending delete in redemption', { status: ['redemption period', 'pending delete'] }, 'pending_purge'],
  ['reserved', { status: ['reserved'] }, 'reserved'],
  ['an object whose status says available', { status: ['available'] }, 'not_understood'],
  ['an object about another name', { ldhName: 'tea.com.au' }, 'not_understood'],
  ['an object whose name is no text', { ldhName: 7 }, 'not_understood'],
  ['an object about another unicodeName', { unicodeName: 'thé.com.au' }, 'not_understood'],
  ['a unicodeName that is no text', { unicodeName: null }, 'not_understood'],
  ['an object that names itself twice', { unicodeName: 'Coffee.com.au' }, 'registered'],
  ['PENDINGDELETE', { status: ['PENDINGDELETE'] }, 'pending_delete'],
  ['REDEMPTIONPERIOD', { status: ['REDEMPTIONPERIOD'] }, 'expired_hold'],
  ['errorCode 500 inside a domain object', { errorCode: 500 }, 'failing'],
];

/** One row: what it is, the HTTP status, the media type, the body, and the state or the reason for having none. */
type Row = [what: string, status: number, contentType: string | null, body: unknown, outcome: string];

const ANSWERS: Row[] = [
  ...OBJECTS.map(([what, changes, outcome]): Row => [what, 200, RDAP, domainObject(changes), outcome]),
  ['a domain object', 200, RDAP, domainObject(), 'registered'],
  ['a domain object with charset', 200, `${RDAP}; charset=utf-8`, domainObject(), 'registered'],
  ['a domain object marked as JSON', 200, 'application/json', domainObject(), 'registered'],
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
  ['notices that are no list, nor hold objects', 200, RDAP, { notices: 'Quota' }, 'not_understood'],
  ['a notice that is none', 200, RDAP, { notices: [null, 'Quota', ['Quota']] }, 'not_understood'],
  ['a notice without text', 200, RDAP, { notices: [{ title: 7, description: [{}] }] }, 'not_understood'],
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
  ['an empty object', 200, RDAP, {}, 'not_understood'],
  ['a list', 200, RDAP, [domainObject()], 'not_understood'],
  ['the word null', 200, RDAP, 'null', 'not_understood'],
  ['an empty 200', 200, RDAP, '', 'not_understood'],
  ['a cut-off object', 200, RDAP, '{"objectClassName":"domain","ldhName":"coffee.co', 'not_understood'],
  ['an HTML page', 200, 'text/html', '<html><title>Welcome</title></html>', 'not_understood'],
  ['a body that is too large', 200, RDAP, null, 'too_large'],
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

describe('readRdapAnswer', () => {
  it.each(ANSWERS)('%s (%i, %s)', (_what, status, contentType, body, outcome) => {
    expect(outcomeOf({ status, contentType, retryAfter: null, body: asText(body) })).toBe(outcome);
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

  it('reads the latest of several days, of the first hundred events', () => {
    const at = (eventDate: string, eventAction = 'Registration') => ({ eventAction, eventDate });
    const events = [at('2026-11-18T03:00:00Z'), at('2026-11-19t03:00Z'), at('2026-11-17 03:00:00Z')];
    const many = Array.from({ length: 100 }, () => at('2026-11-01T00:00:00Z'));
    const none = [at('+002026-11-19T03:00Z'), at('2026-11-19T03:00Z', 'reregistration'), { eventAction: 7 }];
    for (const [given, day] of [
      [events, '2026-11-19T03:00:00Z'],
      [[...many, ...events], '2026-11-01T00:00:00Z'],
      [none, null],
    ] as const)
      expect(answerTo(200, domainObject({ events: given }))).toMatchObject({
        registeredAt: day && new Date(day),
      });
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
    expect(result).toMatchObject({ answered: true, state: 'available' });
  });

  it('passes on when to come back', () => {
    const response = {
      status: 429,
      contentType: null,
      retryAfter: 'Fri, 20 Nov 2026 12:01:00 GMT',
      body: '',
    };
    expect(readRdapAnswer(COFFEE, response, NOW)).toMatchObject({ retryAfterSeconds: 60 });
  });

  it.each([
    [429, '', 'HTTP 429'],
    [401, '', 'HTTP 401'],
    [501, '', 'HTTP 501'],
    [503, '', 'HTTP 503'],
    [301, '', 'HTTP 301'],
    [200, null, 'HTTP 200 with a body that is too large'],
    [200, '[]', 'HTTP 200 without a JSON object'],
    [200, '{', 'HTTP 200 without a JSON object'],
    [200, '{"errorCode":404}', 'HTTP 200 with errorCode 404'],
    [200, '{}', 'HTTP 200 without a domain object'],
    [
      200,
      '{"notices":[{"title":"Quota"}]}',
      'HTTP 200 with a notice about limits instead of a domain object',
    ],
    [200, '{"objectClassName":"domain","ldhName":"tea.com.au"}', 'HTTP 200 about another name'],
    [200, '{"objectClassName":"domain","status":["free"]}', 'HTTP 200 with a status that denies the object'],
  ])('tells the log why %i, %s is no answer', (status, body, detail) => {
    const response = { status, contentType: RDAP, retryAfter: null, body };
    expect(readRdapAnswer(COFFEE, response, NOW)).toMatchObject({ answered: false, detail });
  });

  it('never repeats what a body said', () => {
    const secret = 'Jane Citizen';
    for (const [status, contentType] of [200, 400, 404, 429, 500].flatMap((code) =>
      [RDAP, 'application/json', null].map((type) => [code, type] as const),
    )) {
      const body = JSON.stringify({
        errorCode: secret,
        title: secret,
        objectClassName: secret,
        ldhName: secret,
      });
      const { evidence, ...result } = readRdapAnswer(
        COFFEE,
        { status, contentType, retryAfter: secret, body },
        NOW,
      );
      expect(JSON.stringify(result)).not.toContain('Citizen');
      expect(evidence?.status).toBe(status);
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

function answerTo(status: number, body: object): Result<Said> {
  const response = { status, contentType: RDAP, retryAfter: null, body: JSON.stringify(body) };
  return readRdapAnswer(COFFEE, response, NOW);
}

describe('stateOfStatuses', () => {
  it.each([
    [[], 'registered'],
    [['active'], 'registered'],
    [['server renew prohibited', 'active'], 'registered'],
    [['client hold'], 'registered'],
    [['server hold'], 'registered'],
    [['add period'], 'registered'],
    [['pending transfer'], 'registered'],
    [['a status nobody has heard of'], 'registered'],
    [['redemption period'], 'expired_hold'],
    [['redemptionPeriod', 'serverHold', 'serverUpdateProhibited'], 'expired_hold'],
    [['pending delete'], 'pending_delete'],
    [['pendingDelete'], 'pending_delete'],
    [['PENDING_DELETE'], 'pending_delete'],
    [['PENDINGDELETE'], 'pending_delete'],
    [['REDEMPTIONPERIOD'], 'expired_hold'],
    [['RedemptionPeriod', 'PENDINGDELETE'], 'pending_purge'],
    [['PENDINGDELETE', 'SERVERHOLD'], 'pending_purge'],
    [['pendingDelete https://identitydigital.au/whois-status-codes#pendingDelete'], 'pending_delete'],
    [['pending delete', 'client hold'], 'pending_delete'],
    [['pending delete', 'redemption period'], 'pending_purge'],
    [['pendingDelete', 'serverHold'], 'pending_purge'],
    [['reserved'], 'reserved'],
    [['Reserved', 'server hold'], 'reserved'],
    [['available'], null],
    [['not registered'], null],
    [['unassigned'], null],
    [['pending  -_ delete'], 'pending_delete'],
    [['pendingDelete  http://icann.org/epp#pendingDelete'], 'pending_delete'],
    [['pendingDelete https://icann.org/epp\n#pendingDelete'], 'pending_delete'],
    // A word that only begins like an address.
    [['pendingDelete httpsy'], 'registered'],
    // As many as are looked at, and one behind them.
    [[...Array<string>(99).fill('active'), 'reserved'], 'reserved'],
    [[...Array<string>(100).fill('active'), 'reserved'], 'registered'],
    [[`reserved${' '.repeat(192)}`], 'reserved'],
    // No more of a status is read than this.
    [[`reserved${' '.repeat(192)}x`], 'reserved'],
    [['free', 'active'], null],
    [[null, 17, { status: 'reserved' }], 'registered'],
  ])('%j is %s', (statuses, state) => {
    expect(stateOfStatuses(statuses)).toBe(state);
  });
});

describe('hasRepeatedKey', () => {
  it.each([
    ['{}', false],
    ['[]', false],
    ['"a"', false],
    ['{"a":1,"b":"a","c":["a","a"]}', false],
    ['{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}', false],
    ['{"a":"\\"a\\":1","b":"a"}', false],
    ['{"a":1,"a":1}', true],
    ['{"a":1,"b":{"x":1},"a":1}', true],
    ['{"a" : 1, "a"\n\t:2}', true],
    ['{"b":[{"a":1,"a":2}]}', true],
    ['{"a":1,"\\u0061":2}', true],
    ['{"a\\\\":1,"a\\\\":2}', true],
    ['{"":1,"":2}', true],
  ])('%s: %s', (text, repeats) => {
    expect(hasRepeatedKey(text)).toBe(repeats);
    // The texts are what they are meant to be.
    expect(() => void JSON.parse(text)).not.toThrow();
  });
});
