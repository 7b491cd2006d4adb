import {
  asText,
  CONFORMANT,
  domainObject,
  NOT_FOUND,
  outcomeOf,
  RDAP,
  termsOfUse,
} from '../../test/support/rdap-bodies.js';

/** What a "not found" says beside that, and what it then is. */
const NOT_FOUNDS: [what: string, changes: object, outcome: string][] = [
  ['a description in one text', { description: 'Domain not found.' }, 'available'],
  ['a name behind the wording', { description: ['Domain not found :', 'COFFEE.com.au'] }, 'available'],
  [
    'two sentences',
    { description: ['Error 404: not found. The domain coffee.com.au does not exist.'] },
    'available',
  ],
  ['links and a language', { lang: 'en', links: [{ href: 'https://a.example' }] }, 'available'],
  ['a learned wording', { title: 'Nobody knows coffee.com.au, mate!' }, 'available'],
  ['an error code that is a text', { errorCode: '404' }, 'available'],
  ['not found with terms of use', { notices: [termsOfUse] }, 'available'],
  [
    'not found that quotes a name with such a word',
    { description: ['coffee.com.au was not found'] },
    'available',
  ],
  ['a 404 that says: too many', { title: 'Too many requests' }, 'rate_limited'],
  ['a 404 for a withheld name', { description: ['This name is reserved'] }, 'reserved'],
  ['a 404 for a foreign suffix', { description: ['TLD not supported'] }, 'not_served'],
];

/** What it is, the media type, the body, and the state or the reason for having none. */
type Row = [what: string, contentType: string | null, body: unknown, outcome: string];

const ANSWERS: Row[] = [
  ...NOT_FOUNDS.map(([what, changes, outcome]): Row => [what, RDAP, { ...NOT_FOUND, ...changes }, outcome]),
  ['RDAP not found', RDAP, NOT_FOUND, 'available'],
  ['RDAP not found with charset', 'Application/RDAP+JSON;charset=UTF-8', NOT_FOUND, 'available'],
  ['RDAP not found marked as JSON only', 'application/json', NOT_FOUND, 'not_understood'],
  ['JSON with a conformance list', 'application/json', CONFORMANT, 'available'],
  ['the same behind a proxy that drops the type', null, CONFORMANT, 'available'],
  ['a conformance list that is empty', null, { ...NOT_FOUND, rdapConformance: [] }, 'not_understood'],
  ['a conformance list of another kind', null, { ...NOT_FOUND, rdapConformance: ['v2'] }, 'not_understood'],
  ['nothing but the code', RDAP, { errorCode: 404 }, 'available'],
  ['an empty 404 of RDAP', RDAP, '', 'not_understood'],
  ['a conformance list only', RDAP, { rdapConformance: ['rdap_level_0'] }, 'not_understood'],
  ['an empty 404 of somebody', null, '', 'not_understood'],
  ['an empty 404 of a web server', 'text/html', '', 'not_understood'],
  ['an HTML 404', 'text/html', '<h1>404 Not Found</h1>', 'not_understood'],
  ['an HTML 404 marked as RDAP', RDAP, '<h1>404 Not Found</h1>', 'not_understood'],
  [
    'JSON of a gateway',
    'application/json',
    { message: 'no Route matched with those values' },
    'not_understood',
  ],
  ['RDAP with white space around it', ` ${RDAP} ;charset=utf-8`, NOT_FOUND, 'available'],
  ['a media type that only ends like RDAP', `x-${RDAP}`, NOT_FOUND, 'not_understood'],
  ['a media type that only begins like RDAP', `${RDAP}x`, { message: 'no' }, 'not_understood'],
  ['a 404 that holds an object', RDAP, domainObject(), 'not_understood'],
  ['a 404 with errorCode 429', RDAP, { errorCode: 429 }, 'rate_limited'],
  ['a 404 with errorCode 500', RDAP, { errorCode: 500 }, 'failing'],
  ['a 404 with an error code of no sense', RDAP, { errorCode: {} }, 'not_understood'],
  [
    'a 404 with a limit notice and no code',
    RDAP,
    { notices: [{ title: 'Rate limit exceeded' }] },
    'rate_limited',
  ],
  ['a 404 that is too large', RDAP, null, 'too_large'],
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
      return [`"${saying.slice(0, 60)}" in place ${place}`, RDAP, body, outcome];
    }),
  ),
  ...SAYINGS.map(([errorMessage]): Row => [
    `"${errorMessage.slice(0, 60)}" of a gateway`,
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
    RDAP,
    { ...CONFORMANT, ...changes },
    'not_understood',
  ]),
  ...[1, 20, 60, 85].map((length): Row => [
    `the first ${length} characters of a "not found"`,
    RDAP,
    JSON.stringify(CONFORMANT).slice(0, length),
    'not_understood',
  ]),
];

describe('a 404', () => {
  it.each([...ANSWERS, ...HOSTILE])('%s', (_what, contentType, body, outcome) => {
    expect(outcomeOf({ status: 404, contentType, body: asText(body) })).toBe(outcome);
  });

  it('has 200 forms that are not called available', () => {
    expect(
      [...ANSWERS, ...HOSTILE].filter(([, , , outcome]) => outcome !== 'available').length,
    ).toBeGreaterThanOrEqual(200);
  });
});
