import { rulesOf } from './rdap-answer.js';
import { readErrorCode, readRdapError } from './rdap-error.js';

const NOT_FOUND = { rdapConformance: ['rdap_level_0'], errorCode: 404, title: 'Not Found' };

/** State or reason of a 404 with this body, which says "not found" but for the changes. */
function outcomeOf(changes: object, status = 404): string {
  const body = { ...NOT_FOUND, errorCode: status, ...changes };
  const result = readRdapError('coffee.com.au', status, false, body, rulesOf('newest'));
  return result.answered ? result.state : result.reason;
}

describe('what registries put into every answer', () => {
  const EPP = 'For more information on domain status codes, please visit https://icann.org/epp';

  it.each([
    ...['Terms of Use', 'Terms of Service', 'Terms and Conditions', 'Status Codes', 'About', 'Disclaimer'],
    ...['Copyright Notice', 'Legal Notice', 'Privacy Policy', 'Data Policy', 'Usage Policy'],
    ...['RDDS Inaccuracy Complaint Form', 'WHOIS Inaccuracy Complaint Form', 'TERMS-OF-USE'],
  ])('"%s" makes no text harmless, and a known text is', (title) => {
    const unknown = [['Queries are rate limited.'], ['Held: allocation is pending.'], [], undefined];
    for (const description of [...unknown, [EPP, 'Held.'], ['Held.', EPP]])
      expect(outcomeOf({ notices: [{ title, description }] })).toBe('not_understood');
    for (const description of [EPP, [EPP], EPP.split(', ')])
      expect(outcomeOf({ remarks: [{ title, description, links: [] }] })).toBe('available');
  });

  it('is not known by its text alone, nor by its type', () => {
    expect(outcomeOf({ notices: [{ description: [EPP] }] })).toBe('not_understood');
    expect(outcomeOf({ notices: [{ title: 'Status of the name', description: [EPP] }] })).toBe(
      'not_understood',
    );
    const typed = {
      title: 'Status Codes',
      description: [EPP],
      type: 'object truncated due to authorization',
    };
    expect(outcomeOf({ notices: [typed] })).toBe('not_understood');
  });

  it('may be taught, as a whole', () => {
    const terms = (...description: string[]) => ({
      ...NOT_FOUND,
      notices: [{ title: 'Terms of Use', description }],
    });
    const learned = rulesOf('newest', new Map([['queries are limited ask politely', 'not_found']]));
    const outcome = (body: object) => readRdapError('coffee.com.au', 404, false, { ...body }, learned);
    expect(outcome(terms('Queries are limited.', 'Ask politely!'))).toEqual({
      answered: true,
      state: 'available',
    });
    expect(outcome(terms('Queries are limited.'))).toMatchObject({ answered: false });
  });
});

describe('an error', () => {
  it.each<[object, string]>([
    [{ lang: 'en', links: [], status: [], notices: [], remarks: [] }, 'available'],
    [{ notices: null, remarks: null, title: null, description: null }, 'available'],
    [{ notices: { title: 'Not found', type: 'x not found', links: [] } }, 'not_understood'],
    [{ notices: [{ title: 'Not found', type: 'not found', links: [] }] }, 'available'],
    [{ rdapConformance: ['x', 'rdap_level_1'] }, 'available'],
    [{ rdapConformance: ['x_rdap_level_0'] }, 'not_understood'],
    [{ rdapConformance: [7] }, 'not_understood'],
    [{ rdapConformance: 'rdap_level_0' }, 'not_understood'],
  ])('with %j is %s', (changes, outcome) => {
    expect(outcomeOf(changes)).toBe(outcome);
  });

  it('turns the name down where it is a 400 or 422 without a reason, and passes on what it says', () => {
    const body = { ...NOT_FOUND, errorCode: 422, title: 'Not found', description: ['Too short'] };
    expect(readRdapError('coffee.com.au', 422, false, body, rulesOf('newest'))).toEqual({
      ...{ answered: true, state: 'declined', message: 'Not found: Too short' },
    });
  });
});

describe('the log is told why there is no answer', () => {
  it.each<[number, object | null, string]>([
    [404, null, 'HTTP 404 without a JSON object'],
    [400, null, 'HTTP 400 without a JSON object'],
    [404, { message: 'no' }, 'HTTP 404 with what is no error of RDAP'],
    [404, { title: 'Too many' }, 'HTTP 404 that speaks of limits'],
    [404, { title: 'Forbidden' }, 'HTTP 404 that speaks of who may ask'],
    [404, { title: 'Unsupported' }, 'HTTP 404 of a service that does not judge'],
    [404, { errorCode: 404, title: 'Not found' }, 'HTTP 404 that is not marked as RDAP'],
    [404, { ...NOT_FOUND, title: 'Hello' }, 'HTTP 404 that says more than "not found"'],
    [404, { errorCode: 429 }, 'HTTP 404 with errorCode 429'],
    [404, { errorCode: 'Jane Citizen' }, 'HTTP 404 with errorCode unknown'],
  ])('of %i, %j', (status, body, detail) => {
    const json = body && { ...body };
    expect(readRdapError('coffee.com.au', status, false, json, rulesOf('newest'))).toMatchObject({ detail });
  });

  it.each([
    [429, 'rate_limited'],
    [401, 'refused'],
    [403, 'refused'],
    [499, 'not_understood'],
    [500, 'failing'],
    ['503', 'failing'],
    [404, 'not_understood'],
    [404.5, 'not_understood'],
    [null, 'not_understood'],
  ])('an error code of %s is %s', (code, reason) => {
    expect(readErrorCode(200, code)).toMatchObject({ answered: false, reason });
  });
});
