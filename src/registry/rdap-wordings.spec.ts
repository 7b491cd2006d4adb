import { meaningOf, normalise, shorten } from './rdap-wordings.js';

const none = new Set<string>();
const meaning = (...texts: string[]) => meaningOf(texts, 'coffee.com.au', none);

describe('what an error of RDAP says', () => {
  it.each([
    ...['', 'Error', 'Error 404', '404', 'HTTP 404', 'Not Found', '404 Not Found', 'HTTP 404 Not Found'],
    ...['coffee.com.au was not found', 'Does not exist', 'No match', 'No match found', 'No data found'],
    ...['No entries found', 'No record found', 'Domain not found', 'Domain name not found'],
    ...['Object not found', 'Domain object not found', 'Resource not found', 'Record not found'],
    ...['Entry not found', 'No domain found', 'No such object', 'The domain was not found'],
    ...['The requested object could not be found', 'Requested resource cannot be found'],
    ...['The requested domain name does not exist', 'Not found. Error: 404'],
    ...['Not found ...!', '«Not found»', 'NOT FOUND', ' not   found '],
  ])('"%s" is "not found"', (text) => {
    expect(meaning(text)).toBe('not_found');
  });

  it.each([
    ...['Not', 'Found', 'found not', 'Not found here', 'The service was not found', 'No such service'],
    ...[
      'NOT\nFOUND',
      'No hay coincidencias',
      '500',
      'Not found, or maybe it is',
      'requested',
      'the requested',
      'no found',
    ],
  ])('"%s" is more than that', (text) => {
    expect(meaning(text)).toBe('more');
  });

  it.each([
    ...['Rate limit', 'ratelimit', 'rate-limited', 'Too many queries', 'Quota', 'Throttled'],
    ...['Limit exceeded', 'limit was reached', 'limit is exceeded', 'limit has been reached'],
  ])('"%s" is a limit', (text) => {
    expect(meaning('Not found', text)).toBe('limited');
  });

  it.each([
    ...[
      'Unauthorised',
      'unauthorized',
      'Forbidden',
      'Access denied',
      'access is denied',
      'access was denied',
    ],
    ...['Your address is blocked', 'client has been blocked', 'Access blocked'],
  ])('"%s" is a refusal', (text) => {
    expect(meaning('Not found', text)).toBe('refused');
  });

  it.each([
    ...['Unsupported TLD', 'No service', 'No RDAP service', 'Not supported', 'not served here'],
    ...['We are not authoritative'],
  ])('"%s" is of a service that does not judge', (text) => {
    expect(meaning('Not found', text)).toBe('not_served');
  });

  it.each(['Reserved', 'This name is reserved by policy'])('"%s" reserves the name', (text) => {
    expect(meaning('Not found', text)).toBe('reserved');
  });

  it.each(['All rights reserved', 'is not reserved', 'unreserved'])('"%s" does not', (text) => {
    expect(meaning('Not found', text)).toBe('more');
  });

  it.each([
    ...['Restricted', 'Prohibited', 'Withheld', 'cannot be registered', "can't be registered"],
    ...['can not be registered', 'may not be registered', 'must not be registered', 'not be registered'],
    ...['Unregistrable', 'Ineligible', 'not registrable', 'not eligible', 'not open for registration'],
    ...['not available for registration', 'name blocked', 'This domain is blocked', 'label was blocked'],
    ...['The domain has been blocked'],
  ])('"%s" declines the name', (text) => {
    expect(meaning('Not found', text)).toBe('declined');
  });

  it('that speaks of limits says nothing of the name, whatever else it says', () => {
    expect(meaning('Reserved', 'Quota exceeded')).toBe('limited');
    expect(meaning('Restricted, access denied')).toBe('refused');
    expect(meaning('Restricted and not supported')).toBe('not_served');
    expect(meaning('Restricted and reserved')).toBe('reserved');
  });

  it('is read without the name that was asked for, and with any other', () => {
    expect(meaningOf(['QUOTA.com.au was not found'], 'quota.com.au', none)).toBe('not_found');
    expect(meaningOf(['domainquota.com.au not found'], 'quota.com.au', none)).toBe('limited');
    // A word is not made of the two beside the name.
    expect(meaning('notcoffee.com.aufound')).toBe('more');
    expect(meaning('not coffee.com.au found')).toBe('not_found');
    expect(meaning('Domain"coffee.com.au"not found')).toBe('not_found');
    expect(meaning('coffee.com.au.example not found')).toBe('more');
  });

  it('may be taught', () => {
    const learned = new Set([normalise('Nobody knows it, mate!')]);
    expect(meaningOf(['Not found: nobody knows it - mate'], 'coffee.com.au', learned)).toBe('not_found');
  });

  it('is read as far as 2,000 characters, and is more than "not found" when it is longer', () => {
    const padded = 'not found'.padEnd(2_000);
    expect(meaning(padded)).toBe('not_found');
    expect(meaning(`${padded} `)).toBe('more');
    expect(meaning(`${padded}reserved`)).toBe('more');
  });
});

describe('shorten', () => {
  it.each<[string[], string]>([
    [['Reserved', 'Ask the registry'], 'Reserved: Ask the registry'],
    [['  Reserved\r\n\u001b[31m by\u00a0\u202epolicy '], 'Reserved [31m by policy'],
    [['Ask jane.citizen@example.com.au now'], 'Ask … now'],
    [['Call +61 (2) 5550-1234 or 0255501234'], 'Call … or …'],
    [['ABN 33 051 775 556'], 'ABN …'],
    // Short numbers are no secret.
    [['RFC 9083, 2026, 123456'], 'RFC 9083, 2026, 123456'],
    [['x'.repeat(160)], 'x'.repeat(160)],
    [['x'.repeat(161)], `${'x'.repeat(159)}…`],
    [['🦘'.repeat(161)], `${'🦘'.repeat(159)}…`],
    [[`${' '.repeat(2_000)}Jane`], ''],
  ])('%j', (texts, line) => {
    expect(shorten(texts)).toBe(line);
  });
});

it('normalise keeps words and numbers only', () => {
  expect(normalise(' «Not»  FOUND - (404)! ')).toBe('not found 404');
  expect(normalise('Nön trouvé')).toBe('nön trouvé');
});
