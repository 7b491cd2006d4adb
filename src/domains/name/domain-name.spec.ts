import { ApiError } from '../../errors/api-error.js';
import { type Acceptance, judgeDomainName, parseDomainName, type Refusal } from './domain-name.js';

const SERVED = 'this service covers com.au, net.au, org.au, id.au, asn.au and au';

describe('a registrable name', () => {
  it.each([
    ['coffee.com.au', 'coffee', 'com.au'],
    ['coffee.net.au', 'coffee', 'net.au'],
    ['coffee.org.au', 'coffee', 'org.au'],
    ['coffee.id.au', 'coffee', 'id.au'],
    ['coffee.asn.au', 'coffee', 'asn.au'],
    ['coffee.au', 'coffee', 'au'],
    ['99.au', '99', 'au'],
    ['a-b--c.com.au', 'a-b--c', 'com.au'],
    ['com.com.au', 'com', 'com.au'],
    // A private suffix of the public suffix list is an ordinary name here.
    ['myspreadshop.com.au', 'myspreadshop', 'com.au'],
    [`${'a'.repeat(63)}.com.au`, 'a'.repeat(63), 'com.au'],
  ])('%s', (text, name, tld) => {
    expect(accepted(text)).toMatchObject({ domain: { domain: text, name, tld, reserved: null } });
  });

  it.each(['  coffee.com.au\r\n', 'COFFEE.Com.AU', 'coffee.com.au.', '\ufeff\u00a0coffee.com.au. '])(
    'is read from %j',
    (text) => expect(accepted(text).domain.domain).toBe('coffee.com.au'),
  );

  it.each(['australia.au', 'victoria.au', 'new-south-wales.au', 'www.au', 'au.au', 'csiro.au', 'info.au'])(
    '%s keeps the rules and is reserved',
    (text) => expect(accepted(text).domain.reserved?.suffixes).toEqual(['au']),
  );

  it.each(['australia.com.au', 'www.net.au', 'victoria.id.au', 'biz.au'])(
    '%s is flagged, and the registry may be asked',
    (text) => expect(accepted(text).domain).toMatchObject({ rule: { registrable: null }, reserved: null }),
  );

  it('an ordinary name has no rule against it', () =>
    expect(accepted('coffee.com.au').domain).toMatchObject({ rule: null, reserved: null }));
});

describe('a refusal says what was wrong', () => {
  it.each<[string | undefined, string, string]>([
    [undefined, 'domain_missing', 'is missing; give one .au name such as coffeecart.com.au'],
    ['', 'domain_missing', 'is empty; give one .au name such as coffeecart.com.au'],
    [' \t\n', 'domain_missing', 'is empty; give one .au name such as coffeecart.com.au'],
    ['coffee', 'domain_invalid', 'has no suffix; write it out, such as coffee.com.au'],
    ['c', 'domain_invalid', 'has no suffix; write it out, such as coffeecart.com.au'],
    ['net', 'domain_invalid', 'has no suffix; write it out, such as coffeecart.com.au'],
    ['x.com.au', 'domain_invalid', 'has "x" as its label, one character; a .au label has 2 to 63'],
    ['a.b.com.au', 'domain_invalid', 'has "b" as its label, one character; a .au label has 2 to 63'],
    [`${'a'.repeat(64)}.com.au`, 'domain_invalid', 'has a label of 64 characters; a .au label has 2 to 63'],
    ['-tea.com.au', 'domain_invalid', 'has a hyphen at the start of "-tea"; start with a letter or digit'],
    ['tea-.com.au', 'domain_invalid', 'has a hyphen at the end of "tea-"; end with a letter or digit'],
    ['te_a.com.au', 'domain_invalid', 'has an underscore in "te_a"; use letters, digits and hyphens'],
    [
      'xn--t-iga.com.au',
      'domain_invalid',
      'has hyphens in places 3 and 4 of "xn--t-iga"; .au bars them, and with them internationalised names (IDN, xn--)',
    ],
    ...['.com.au', 'tea..com.au', '..', '.', 'tea.com.au..'].map((text): [string, string, string] => [
      text,
      'domain_invalid',
      'has a dot with no label beside it; write one dot between two labels',
    ]),
    ['tea cart.com.au', 'domain_invalid', 'has white space inside; give one name, without spaces'],
    ['tea\u2003cart.com.au', 'domain_invalid', 'has white space inside; give one name, without spaces'],
    ['tea\u0000.com.au', 'domain_invalid', 'has a control character (U+0000); remove it'],
    ['tea\u001b[2J.com.au', 'domain_invalid', 'has a control character (U+001B); remove it'],
    [
      'käse.com.au',
      'domain_invalid',
      'has ä (U+00E4); .au has no internationalised names (IDN), only a to z, 0 to 9 and hyphens',
    ],
    // The Kelvin sign, which lower-casing would turn into the letter k.
    [
      '\u212aoala.com.au',
      'domain_invalid',
      'has \u212a (U+212A); .au has no internationalised names (IDN), only a to z, 0 to 9 and hyphens',
    ],
    // Invisible and direction-changing characters are named, not shown.
    [
      'tea\u202e.com.au',
      'domain_invalid',
      'has U+202E; .au has no internationalised names (IDN), only a to z, 0 to 9 and hyphens',
    ],
    ['*.com.au', 'domain_invalid', 'has "*"; use letters, digits and hyphens'],
    ['tea.com.au,milk.com.au', 'domain_invalid', 'has ","; use letters, digits and hyphens'],
    ['192.0.2.1', 'domain_invalid', 'is an IP address, not a name; give a name such as coffeecart.com.au'],
    ...['2001:db8::1', '[2001:db8::1]:443'].map((text): [string, string, string] => [
      text,
      'domain_invalid',
      'is an IP address, not a name; give a name such as coffeecart.com.au',
    ]),
    ['t'.repeat(254), 'domain_invalid', 'has 254 characters; a domain name has at most 253'],
    ['t'.repeat(10_240), 'domain_invalid', 'has 10240 characters; a domain name has at most 253'],
    [
      `https://coffee.com.au/${'m'.repeat(2_027)}`,
      'domain_invalid',
      'has 2049 characters; a domain name has at most 253',
    ],
    ['example.com', 'domain_suffix_unsupported', `ends in com; ${SERVED}`],
    ['tea.co.nz', 'domain_suffix_unsupported', `ends in co.nz; ${SERVED}`],
    ['co.nz', 'domain_suffix_unsupported', `ends in co.nz; ${SERVED}`],
    ['tea.com.aux', 'domain_suffix_unsupported', `ends in aux; ${SERVED}`],
    [`tea.${'z'.repeat(60)}`, 'domain_suffix_unsupported', `ends in …${'z'.repeat(30)}; ${SERVED}`],
    ['tea.gov.au', 'domain_suffix_unsupported', `ends in gov.au (governments of Australia); ${SERVED}`],
    ['tea.nsw.gov.au', 'domain_suffix_unsupported', `ends in gov.au (governments of Australia); ${SERVED}`],
    ['tea.nsw.edu.au', 'domain_suffix_unsupported', `ends in nsw.edu.au (education providers); ${SERVED}`],
    ['tea.vic.au', 'domain_suffix_unsupported', `ends in vic.au (communities of Victoria); ${SERVED}`],
    [
      'www.tea.csiro.au',
      'domain_suffix_unsupported',
      `ends in csiro.au (CSIRO, the national science agency); ${SERVED}`,
    ],
    [
      'com.au',
      'domain_not_registrable',
      'is itself a suffix, com.au; put a name before it, such as coffeecart.com.au',
    ],
    ['AU.', 'domain_not_registrable', 'is itself a suffix, au; put a name before it, such as coffeecart.au'],
    ['gov.au', 'domain_not_registrable', `is itself a suffix, gov.au (governments of Australia); ${SERVED}`],
    ['tea.www.au', 'domain_not_registrable', 'is a sub-domain of www.au, which is reserved'],
    ['*.gov.au', 'domain_invalid', 'has "*"; use letters, digits and hyphens'],
    [
      ':',
      'domain_not_registrable',
      'has a colon, as before a port; give the name alone, such as coffeecart.com.au',
    ],
    [
      'https://192.0.2.1/',
      'domain_not_registrable',
      'is a URL, not a name; give the name alone, such as coffeecart.com.au',
    ],
    [
      'https://www.au/',
      'domain_not_registrable',
      'is a URL, not a name; give the name alone, such as coffeecart.com.au',
    ],
    [
      'https://käse.com.au/',
      'domain_not_registrable',
      'is a URL, not a name; give the name alone, such as coffeecart.com.au',
    ],
  ])('%j', (text, code, fault) => {
    expect(refused(text)).toEqual({ ok: false, code, message: `domain ${fault}`, registrable: null });
  });
});

describe('a name that is not served gets one refusal, however it is written', () => {
  it.each([
    ['http://tea.gov.au/', 'tea.gov.au'],
    ['anna@tea.gov.au', 'tea.gov.au'],
    ['tea.gov.au:443', 'tea.gov.au'],
    ['*.tea.gov.au', 'tea.gov.au'],
    ['https://example.com/', 'example.com'],
  ])('%s as %s', (text, name) => {
    expect(refused(text)).toEqual(refused(name));
    expect(refused(text).code).toBe('domain_suffix_unsupported');
  });

  it('and never repeats what is not ASCII', () => {
    expect(refused('https://tea.au\u202e/').message).not.toContain('\u202e');
  });
});

describe('a refusal names the registrable name in the text', () => {
  it.each([
    ['www.coffee.com.au', 'is a sub-domain'],
    ['a.b.c.coffee.com.au.', 'is a sub-domain'],
    ['_dmarc.coffee.com.au', 'is a sub-domain'],
    ['https://coffee.com.au', 'is a URL, not a name'],
    ['https://käse.coffee.com.au/', 'is a URL, not a name'],
    ['HTTPS://me:secret@www.coffee.com.au:8443/menu?size=2#top', 'is a URL, not a name'],
    ['//coffee.com.au/menu', 'is a URL, not a name'],
    ['https:/coffee.com.au', 'is a URL, not a name'],
    ['https:coffee.com.au', 'is a URL, not a name'],
    [`https://coffee.com.au/${'m'.repeat(2_000)}`, 'is a URL, not a name'],
    ['anna@coffee.com.au', 'is an e-mail address, not a name'],
    ['mailto:anna@coffee.com.au', 'is an e-mail address, not a name'],
    ['me:secret@coffee.com.au', 'has a user and password before the name'],
    ['coffee.com.au:8080', 'has a colon, as before a port'],
    ['coffee.com.au:', 'has a colon, as before a port'],
    ['coffee.com.au:/menu', 'has a path or query after the name'],
    ['anna@coffee.com.au:', 'is an e-mail address, not a name'],
    ['https://coffee.com.au:/', 'is a URL, not a name'],
    ['coffee.com.au/menu', 'has a path or query after the name'],
    ['coffee.com.au?size=2', 'has a path or query after the name'],
    ['coffee.com.au#top', 'has a path or query after the name'],
  ])('%s', (text, fault) => {
    expect(refused(text)).toEqual({
      ok: false,
      code: 'domain_not_registrable',
      message: `domain ${fault}; the registrable name in it is coffee.com.au`,
      registrable: 'coffee.com.au',
    });
  });

  it('behind a wildcard', () => {
    expect(refused('*.coffee.com.au')).toMatchObject({
      code: 'domain_invalid',
      message: 'domain has "*"; use letters, digits and hyphens; the registrable name in it is coffee.com.au',
      registrable: 'coffee.com.au',
    });
  });

  it.each(['\u3002', '\uff0e', '\uff61'])('behind the foreign dot %s', (dot) => {
    expect(refused(`coffee${dot}com${dot}au`)).toMatchObject({
      code: 'domain_invalid',
      message: expect.stringContaining('write an ordinary full stop'),
      registrable: 'coffee.com.au',
    });
  });
});

describe('parseDomainName', () => {
  it('gives the name', () => {
    expect(parseDomainName(' Coffee.com.au ')).toMatchObject({
      domain: 'coffee.com.au',
      name: 'coffee',
      rule: null,
      tld: 'com.au',
      reserved: null,
    });
  });

  it('throws the refusal as a 400', () => {
    expect(() => parseDomainName('com.au')).toThrow(ApiError);
    expect(() => parseDomainName('com.au')).toThrow(
      expect.objectContaining({
        code: 'domain_not_registrable',
        status: 400,
        message: refused('com.au').message,
      }),
    );
  });
});

function accepted(text: string): Acceptance {
  const judgement = judgeDomainName(text);
  if (!judgement.ok) throw new Error(`refused: ${judgement.message}`);
  return judgement;
}

function refused(text: string | undefined): Refusal {
  const judgement = judgeDomainName(text);
  if (judgement.ok) throw new Error(`accepted: ${judgement.domain.domain}`);
  return judgement;
}
