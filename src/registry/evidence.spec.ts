import { evidenceOf, evidenceOfLine, NAME } from './evidence.js';
import { judgeRdap, readRdapAnswer, rulesOf } from './rdap-answer.js';

const NOW = new Date('2026-11-23T00:00:00Z');
const RDAP = 'application/rdap+json';
const respond = (status: number, body: unknown, contentType = RDAP) => ({
  ...{ status, contentType, retryAfter: null },
  body: typeof body === 'string' || body === null ? body : JSON.stringify(body),
});
const keep = (status: number, body: unknown) => evidenceOf('surf.com.au', respond(status, body));

const PEOPLE = {
  entities: [{ roles: ['registrant'], vcardArray: ['vcard', [['fn', {}, 'text', 'Jo Holder']]] }],
  remarks: [{ title: 'Holder', description: ['Jo Holder'], eventActor: 'Jo Holder' }],
  auData_eligibilityID: '12 345 678 901',
  port43: 'Jo Holder',
};

/** Bodies that name a person wherever one can be named, and what they are judged to be. */
const HOSTILE: [what: string, status: number, body: object, outcome: string][] = [
  [
    'a holder',
    200,
    { objectClassName: 'domain', ldhName: 'surf.com.au', status: ['active'], ...PEOPLE },
    'registered',
  ],
  ['a status', 200, { objectClassName: 'domain', status: ['Jo Holder', 'pending delete'] }, 'pending_delete'],
  ['a status that is a text', 200, { objectClassName: 'domain', status: 'held by Jo Holder' }, 'registered'],
  ['a name', 200, { objectClassName: 'domain', ldhName: 'Jo Holder of Main St' }, 'not_understood'],
  ['a class', 200, { objectClassName: 'Jo Holder' }, 'not_understood'],
  ['a code', 404, { errorCode: 'Jo Holder', title: 'Not Found' }, 'not_understood'],
  ['conformance', 404, { errorCode: 404, title: 'Not Found', rdapConformance: ['Jo Holder'] }, 'available'],
  [
    'an address',
    404,
    { errorCode: 404, title: 'Not Found', description: ['Ask jo@holder.example'] },
    'not_understood',
  ],
  [
    'a label',
    404,
    { errorCode: 404, title: 'Not Found', description: 'Registrant Name: Jo Holder\nCity: Jo' },
    'not_understood',
  ],
  [
    'another label',
    404,
    { errorCode: 404, description: ['Reserved. Contact = Jo Holder, 12345678'] },
    'reserved',
  ],
  ['another member', 404, { errorCode: 404, title: 'Not Found', holder: 'Jo Holder' }, 'not_understood'],
  [
    'events and links',
    404,
    { errorCode: 404, title: 'Not Found', links: ['Jo'], events: ['Jo'] },
    'not_understood',
  ],
  [
    'a remark',
    404,
    { errorCode: 404, remarks: [{ title: 'x', links: [{ value: 'Jo Holder' }] }] },
    'not_understood',
  ],
];

it.each(HOSTILE)(
  'with %s, no person is kept, and the verdict is one of what is kept',
  (_, status, body, outcome) => {
    const said = readRdapAnswer('surf.com.au', respond(status, body), NOW);
    expect(said.answered ? said.state : said.reason).toBe(outcome);
    expect(said.evidence?.text).not.toMatch(/Jo|holder\.example|345|Main/);
  },
);

const BODIES: [string, number, object, string][] = [
  [
    'not found',
    404,
    { errorCode: 404, title: 'Not Found', description: ['surf.com.au was not found'] },
    'available',
  ],
  [
    'another name',
    404,
    { errorCode: 404, title: 'Not Found', description: ['mysurf.com.au not found'] },
    'not_understood',
  ],
  ['reserved', 404, { errorCode: 404, title: 'SURF.COM.AU is reserved' }, 'reserved'],
  ['limits', 200, { notices: [{ title: 'Limits', description: ['rate limit exceeded'] }] }, 'rate_limited'],
  ['our mark as a name', 200, { objectClassName: 'domain', ldhName: NAME }, 'not_understood'],
  ['no name', 200, { objectClassName: 'domain', ldhName: { a: 'surf.com.au' } }, 'not_understood'],
];

it.each(BODIES)('%s is read from the evidence', (_, status, body, outcome) => {
  const said = judgeRdap('waves.net.au', keep(status, body), rulesOf('newest'));
  expect(said.answered ? said.state : said.reason).toBe(outcome);
});

const MEMBERS = ['title', 'description', 'status', 'notices', 'remarks'];
const NOTHING_SAID = [null, []];
const SAID = [{ a: 'Jo' }, [{ a: 'Jo' }], [['Jo']], [{ title: { a: 'Jo' } }], 5, true, [5], [null], {}];
const CASES = MEMBERS.flatMap((member) => [
  ...NOTHING_SAID.map((shape) => ['available', member, JSON.stringify(shape), shape] as const),
  ...SAID.map((shape) => ['not_understood', member, JSON.stringify(shape), shape] as const),
]);
/** A notice of no members says nothing, as does an object in the place of a list of them. */
const EMPTY_NOTICES = ['notices {}', 'remarks {}'];

it.each(CASES)('a "not found" is %s with %s %s', (outcome, member, written, shape) => {
  const said = readRdapAnswer(
    'surf.com.au',
    respond(404, { errorCode: 404, title: 'Not Found', [member]: shape }),
    NOW,
  );
  const expected = EMPTY_NOTICES.includes(`${member} ${written}`) ? 'available' : outcome;
  expect(said.evidence?.text).not.toContain('Jo');
  expect(said.answered ? said.state : said.reason).toBe(expected);
});

it.each(['__proto__', 'constructor', 'toString'])('a member %s is another member', (member) => {
  for (const status of [200, 404]) {
    const said = readRdapAnswer('surf.com.au', respond(status, `{"${member}":"Jo"}`), NOW);
    expect(said.evidence?.text).not.toContain('Jo');
    expect(said.answered ? said.state : said.reason).toBe('not_understood');
  }
});

it('answers that differ in the name alone are kept once', () => {
  const [one, other] = ['surf.com.au', 'waves.au'].map((domain) =>
    evidenceOf(domain, respond(404, { errorCode: 404, title: `No match for ${domain}.` })),
  );
  expect(one).toEqual(other);
  expect(evidenceOfLine('surf.com.au', 'surf.com.au: Available\r\n').text).toBe(`${NAME}: Available`);
});

it.each<[string, number, string | null]>([
  ['empty', 404, ' \n'],
  ['html', 404, '<html><title>Jo</title>'],
  ['other', 200, 'Jo'],
  ['other', 404, '{"title":'],
  ['list', 404, '[{"title":"Jo"}]'],
  ['repeated_keys', 404, '{"title":"Jo","title":"Not Found"}'],
  ['long', 404, JSON.stringify({ description: Array(9).fill('x'.repeat(1_000)) })],
  ['too_large', 404, null],
  ['none', 500, 'Jo'],
])('a body that is %s keeps its shape alone', (shape, status, body) => {
  expect(keep(status, body)).toEqual({ status, hasRdapType: true, shape, text: null });
});

it('of a long text one character more is kept than is read', () => {
  expect(JSON.parse(keep(404, { title: 'x'.repeat(9_000) }).text ?? '').title).toHaveLength(2_001);
});
