import { evidenceOf, evidenceOfLine, NAME } from './evidence.js';
import { readRdapAnswer } from './rdap-answer.js';

const NOW = new Date('2026-11-23T00:00:00Z');
const HOLDER = {
  entities: [{ roles: ['registrant'], vcardArray: ['vcard', [['fn', {}, 'text', 'Jo Holder']]] }],
  remarks: [{ title: 'Holder', description: ['Jo Holder'], eventActor: 'Jo Holder' }],
  auData_eligibilityID: '12 345 678 901',
};

const BODIES: [string, number, object][] = [
  ['a holder', 200, { objectClassName: 'domain', ldhName: 'surf.com.au', status: ['active'], ...HOLDER }],
  ['not found', 404, { errorCode: 404, title: 'Not Found', description: ['surf.com.au was not found'] }],
  ['more than that', 404, { errorCode: 404, title: 'Not Found', description: ['Ask jo@holder.example'] }],
  ['another member', 404, { errorCode: 404, title: 'Not Found', holder: 'Jo Holder' }],
  ['another name', 404, { errorCode: 404, title: 'Not Found', description: ['mysurf.com.au not found'] }],
  ['reserved', 404, { errorCode: 404, title: 'SURF.COM.AU is reserved' }],
  ['limits', 200, { notices: [{ title: 'Limits', description: ['rate limit exceeded'] }] }],
];

it.each(BODIES)('what is kept of %s is judged as the answer was, and names nobody', (_, status, body) => {
  const judge = (domain: string, text: string) =>
    readRdapAnswer(
      domain,
      { status, contentType: 'application/rdap+json', retryAfter: null, body: text },
      NOW,
    );
  const { text } = evidenceOf('surf.com.au', status, true, { ...body });
  expect(text).not.toMatch(/Jo|holder\.example|345/);
  const again = judge('waves.net.au', text?.replaceAll(NAME, 'waves.net.au') ?? '');
  const first = judge('surf.com.au', JSON.stringify(body));
  expect(again.answered ? again.state : again.reason).toBe(first.answered ? first.state : first.reason);
});

const MEMBERS = ['title', 'description', 'status', 'notices', 'remarks'];
const SHAPES = [
  { a: 'Jo' },
  [{ a: 'Jo' }],
  [['Jo']],
  [{ title: { a: 'Jo' } }],
  5,
  true,
  [5],
  [null],
  null,
  {},
  [],
];

it.each(MEMBERS.flatMap((member) => SHAPES.map((shape) => [member, JSON.stringify(shape), shape] as const)))(
  'a "not found" with %s %s is judged again as it was',
  (member, _, shape) => {
    const judge = (text: string) => {
      const contentType = 'application/rdap+json';
      const said = readRdapAnswer(
        'surf.com.au',
        { status: 404, contentType, retryAfter: null, body: text },
        NOW,
      );
      return said.answered ? said.state : said.reason;
    };
    const body = { errorCode: 404, title: 'Not Found', [member]: shape };
    const { text } = evidenceOf('surf.com.au', 404, true, body);
    expect(text).not.toContain('Jo');
    expect(judge(text?.replaceAll(NAME, 'surf.com.au') ?? '')).toBe(judge(JSON.stringify(body)));
  },
);

it.each(['notices', 'remarks'])('%s that are a text stay unknown', (member) => {
  const body = { errorCode: 404, title: 'Not Found', [member]: 'It is reserved for Jo' };
  const { text } = evidenceOf('surf.com.au', 404, true, body);
  const read = { status: 404, contentType: 'application/rdap+json', retryAfter: null, body: text };
  expect(text).not.toContain('Jo');
  expect(readRdapAnswer('surf.com.au', read, NOW)).toMatchObject({
    answered: false,
    reason: 'not_understood',
  });
});

it('answers that differ in the name alone are kept once', () => {
  const [one, other] = ['surf.com.au', 'waves.au'].map((domain) =>
    evidenceOf(domain, 404, true, { errorCode: 404, title: `No match for ${domain}.` }),
  );
  expect(one).toEqual(other);
  expect(evidenceOfLine('surf.com.au', 'surf.com.au: Available\r\n').text).toBe(`${NAME}: Available`);
});

it('of what cannot be read, and of what is long, the status alone is kept', () => {
  expect(evidenceOf('surf.com.au', 404, false, null).text).toBeNull();
  expect(evidenceOf('surf.com.au', 404, true, { title: 'x'.repeat(9_000) }).text).toBeNull();
});
