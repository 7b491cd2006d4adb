import { redactText } from './evidence.js';
import { formerMeaningOf } from './former-wordings.js';
import {
  comparedWording,
  type Learned,
  type LearnedMeaning,
  meaningOf,
  NONE_LEARNED,
  normalise,
  shorten,
} from './rdap-wordings.js';

const redact = (texts: readonly string[], domain = 'coffee.com.au') =>
  texts.map((text) => redactText(domain, text));
const meaning = (...texts: string[]) => meaningOf(redact(texts), NONE_LEARNED);
const learn = (...texts: [string, LearnedMeaning?][]): Learned =>
  new Map(texts.map(([text, means = 'not_found']) => [comparedWording(text), means]));

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

  it('"All rights reserved" says nothing of the name, however often it is there', () => {
    expect(meaning('Not found. Elsewhere: all rights reserved, and here all rights reserved')).toBe('more');
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
    expect(meaningOf(redact(['QUOTA.com.au was not found'], 'quota.com.au'), NONE_LEARNED)).toBe('not_found');
    expect(meaningOf(redact(['domainquota.com.au not found'], 'quota.com.au'), NONE_LEARNED)).toBe('more');
    // A word is not made of the two beside the name.
    expect(meaning('notcoffee.com.aufound')).toBe('more');
    expect(meaning('not coffee.com.au found')).toBe('not_found');
    expect(meaning('Domain"coffee.com.au"not found')).toBe('not_found');
    expect(meaning('coffee.com.au.example not found')).toBe('more');
  });

  it('may be taught by a sentence, by a whole text, and with marks for what is not kept', () => {
    const taught = learn(
      ['Nobody knows it, mate!'],
      ['No such name. Queries are rate limited.'],
      ['{name} is free since {number}; ask {address}'],
      ['Ring 02 5550 1234 about it'],
    );
    const means = (...texts: string[]) => meaningOf(redact(texts), taught);
    expect(means('Not found: nobody knows it - mate')).toBe('not_found');
    expect(means('No such name! Queries are rate limited')).toBe('not_found');
    expect(means('Queries are rate limited.')).toBe('limited');
    expect(means('COFFEE.com.au is free since 0412 345 678; ask jo@registry.example')).toBe('not_found');
    expect(means('Ring 03 5550 9999 about it')).toBe('not_found');
    expect(means('tea.com.au is free since 0412 345 678; ask jo@registry.example')).toBe('more');
  });

  it.each(['limited', 'refused', 'not_served', 'reserved', 'declined'] as const)(
    'may be taught to be %s, as a whole text only',
    (means) => {
      const taught = learn(['Held. Until the end', means]);
      expect(meaningOf(redact(['Not found', 'Held; until the end']), taught)).toBe(means);
      expect(meaningOf(redact(['Held. Until the end of it']), taught)).toBe('more');
    },
  );

  it('was read by other rules in the version before', () => {
    expect(formerMeaningOf(redact(['The name is unrestricted']), NONE_LEARNED)).toBe('declined');
    expect(meaning('The name is unrestricted')).toBe('more');
    expect(formerMeaningOf(redact(['No such name. Ask again']), learn(['No such name. Ask again']))).toBe(
      'more',
    );
    expect(formerMeaningOf(redact(['coffee.com.au was not found']), NONE_LEARNED)).toBe('not_found');
    expect(formerMeaningOf(redact(['x'.repeat(2_001)]), NONE_LEARNED)).toBe('more');
  });

  it('is read as far as 2,000 characters, and is more than "not found" when it is longer', () => {
    const padded = 'not found'.padEnd(2_000);
    expect(meaning(padded)).toBe('not_found');
    expect(meaning(`${padded} `)).toBe('more');
    expect(meaning(`${padded}reserved`)).toBe('more');
    expect(meaning('reserved '.padEnd(2_100))).toBe('reserved');
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
