import { type DomainName, judgeDomainName } from '../../domains/name/domain-name.js';
import { SUFFIXES } from '../../domains/schema/domain.js';
import { digitsOf, hasCheckDigits, kindOfNumber } from '../../validation/business-numbers.js';
import { type Holder, judgeEligibility, type RegisterEntry, type Verdict } from './verdict.js';

describe('numbers', () => {
  it.each([
    '51 824 753 556',
    '53 004 085 616',
    '38-079-009-340',
    '004 085 616',
    '000 500 005',
    '079009340',
    '003 765 142',
    '163 882 933',
    '097 829 895',
  ])('%s has its check digits', (text) => {
    const digits = digitsOf(text) ?? '';
    expect(hasCheckDigits(kindOfNumber(digits), digits)).toBe(true);
  });

  it.each(['51 824 753 565', '004 085 617', '01 824 753 556'])('%s has not', (text) => {
    const digits = digitsOf(text) ?? '';
    expect(hasCheckDigits(kindOfNumber(digits), digits)).toBe(false);
  });

  it.each(['', '5182475355', 'ABN 51 824 753 556', '51 824 753 5560', '٥١٨٢٤٧٥٣٥٥٦'])(
    '%j is no number',
    (text) => {
      expect(digitsOf(text)).toBeNull();
    },
  );
});

type Is = Verdict['is'];
interface Given {
  readonly type: string;
  readonly legalName: string;
  readonly says: string;
  readonly businessNames?: readonly string[];
  /** Labels that are a name of the holder, or its acronym. */
  readonly own: readonly string[];
  /** Labels that nothing but the holder's word connects with it. */
  readonly others: readonly string[];
  /** What com.au, org.au and .au answer for `own`. */
  readonly expected: readonly [com: Is, org: Is, au: Is];
}

const OTHERS = ['plumbing', 'best-coffee', 'sydney-tours', 'x1', 'goldcoastvans'];
const COMPANY = ['eligible', 'unknown', 'eligible'] as const;
const TRUST = ['unknown', 'unknown', 'unknown'] as const;
const HOLDERS: readonly Given[] = [
  {
    type: 'PRV',
    says: 'Company',
    legalName: 'ACME WIDGETS PTY LTD',
    own: ['acmewidgets', 'acme-widgets'],
    others: ['acme', 'widgets', 'widgetsacme', 'acmewidgetspty', ...OTHERS],
    expected: COMPANY,
  },
  {
    type: 'PRV',
    says: 'Company',
    legalName: 'The Old Mill & Bakery Pty. Limited',
    own: ['theoldmillandbakery', 'oldmillbakery', 'omb', 'tomab'],
    others: ['millbakery', 'old-mill', 'tom', ...OTHERS],
    expected: COMPANY,
  },
  {
    type: 'PUB',
    says: 'Company',
    legalName: 'Northern Rivers Power Limited',
    own: ['northernriverspower', 'northern-rivers-power', 'nrp'],
    others: ['northernpower', 'rivers', 'nr', ...OTHERS],
    expected: COMPANY,
  },
  {
    type: 'PRV',
    says: 'Company',
    legalName: "O'BRIEN GLASS PTY LTD",
    businessNames: ['Clear View Windows', 'Limited Roses', 'Café Nero', 'Proprietary Blends Inc'],
    own: ['obrienglass', 'og', 'clearviewwindows', 'cvw', 'limitedroses'],
    others: ['obrien', 'clearview', 'roses', 'cafnero', 'blends', 'proprietaryblends', ...OTHERS],
    expected: COMPANY,
  },
  {
    type: 'IND',
    says: 'Sole Trader',
    legalName: 'SMITH, JOHN',
    businessNames: ['Smith Lawn Care'],
    own: ['smithlawncare', 'smith-lawn-care', 'slc'],
    others: ['smithjohn', 'johnsmith', 'sj', 'lawncare', ...OTHERS],
    expected: ['eligible', 'not_eligible', 'eligible'],
  },
  {
    type: 'PTR',
    says: 'Partnership',
    legalName: 'J Doe & R Roe',
    businessNames: ['Doe and Roe Joinery'],
    own: ['doeandroejoinery', 'doeroejoinery', 'drj'],
    others: ['doeroe', 'joinery', ...OTHERS],
    expected: COMPANY,
  },
  {
    type: 'OIE',
    says: 'Incorporated Association',
    legalName: 'Kiama Surf Club Incorporated',
    own: ['kiamasurfclub', 'ksc'],
    others: ['kiamasurf', 'surfclub', ...OTHERS],
    expected: ['eligible', 'eligible', 'eligible'],
  },
  {
    type: 'OIE',
    says: 'Incorporated Association',
    legalName: 'Owners of Strata Plan 9',
    own: ['ownersofstrataplan9'],
    others: OTHERS,
    expected: TRUST,
  },
  {
    type: 'DIT',
    says: 'Other',
    legalName: 'The Trustee for Roe Family Trust',
    own: ['roefamilytrust', 'rft'],
    others: OTHERS,
    expected: TRUST,
  },
  {
    type: 'CGE',
    says: 'Other',
    legalName: 'Department of Maps',
    own: ['departmentofmaps', 'dm'],
    others: OTHERS,
    expected: TRUST,
  },
  // Says that it is something else than the register says.
  {
    type: 'PRV',
    says: 'Sole Trader',
    legalName: 'Acme Widgets Pty Ltd',
    own: ['acmewidgets'],
    others: OTHERS,
    expected: TRUST,
  },
];

/** Names with words of legal forms inside them, or letters that no label has. */
const TRAPS: readonly [type: string, legalName: string, own: string, others: readonly string[]][] = [
  ['PRV', 'LIMITED EDITIONS PTY LTD', 'limitededitions', ['editions']],
  ['PRV', 'LIMITED BRANDS GROUP PTY LTD', 'limitedbrandsgroup', ['brandsgroup', 'bg']],
  ['PRV', 'NL IMPORTS PTY LTD', 'nlimports', ['imports']],
  ['PRV', 'INC MAGAZINE PTY LTD', 'incmagazine', ['magazine']],
  ['PRV', 'ACME INC PTY LTD', 'acmeinc', ['acme']],
  ['PRV', 'DELTA NL PTY LTD', 'deltanl', ['delta']],
  ['PRV', 'SMITH PROPRIETARY PTY LTD', 'smithproprietary', ['smith']],
  ['PRV', 'Pty Ltd Services Pty Ltd', 'ptyltdservices', ['services']],
  ['PRV', 'A & INC TRADING PTY LTD', 'aandinctrading', ['trading', 'atrading']],
  ['PRV', 'THE TRUSTEE FOR HIRE PTY LTD', 'thetrusteeforhire', ['hire']],
  ['PRV', 'ACME’S CARTS PTY. LTD.', 'acmescarts', ['acmecarts']],
  ['PUB', 'PROPRIETARY MINES NL', 'proprietarymines', ['mines', 'minesnl']],
  ['PUB', 'GOLDEN REEF NO LIABILITY', 'goldenreef', ['reef']],
  ['PUB', 'NO LIABILITY CLUB LIMITED', 'noliabilityclub', ['club']],
  ['PUB', 'UNLIMITED LIMITED', 'unlimited', ['un']],
  ['PUB', 'ACME INC LIMITED', 'acmeinc', ['acme']],
  ['PUB', 'GRAIN CO-OPERATIVE LTD', 'graincooperative', ['grain']],
  ['OIE', 'LIMITED VISION SOCIETY INC', 'limitedvisionsociety', ['visionsociety']],
  ['OIE', 'INC WRITERS INCORPORATED', 'incwriters', ['writers']],
  ['OIE', 'KIAMA LTD EDITIONS INC.', 'kiamaltdeditions', ['kiamaeditions']],
  ['OIE', 'Łódź Club Inc', '', ['dclub', 'odzclub', 'lodzclub']],
  ['PRV', '東京 MOTORS PTY LTD', '', ['motors', 'm']],
  ['PRV', 'MOTORS 東京 PTY LTD', '', ['motors']],
  ['PRV', 'Café Ünal Pty Ltd', '', ['cafnal', 'caf', 'cafeunal']],
  ['PRV', 'Cafe\u0301 Noir Pty Ltd', '', ['cafenoir', 'cafnoir']],
  ['PRV', 'Ａcme Widgets Pty Ltd', '', ['cmewidgets', 'acmewidgets']],
  ['PRV', '\u212aelly Tools Pty Ltd', '', ['kellytools', 'ellytools']],
  ['PRV', 'C++ TOOLS PTY LTD', '', ['ctools', 'ct']],
  ['PRV', '$AVE MORE PTY LTD', '', ['avemore', 'am']],
  ['PRV', '100% PURE WATER PTY LTD', '', ['100purewater']],
  ['PRV', '@HOME CARE PTY LTD', '', ['homecare', 'hc']],
  ['PRV', 'WIDGETS #1 PTY LTD', '', ['widgets1', 'widgets']],
];
const SAYS: Readonly<Record<string, string>> = {
  PRV: 'Company',
  PUB: 'Company',
  OIE: 'Incorporated Association',
};
const TRAPPED = TRAPS.map(([type, legalName, own, others]): Given => {
  const expected = type === 'OIE' ? (['eligible', 'eligible', 'eligible'] as const) : COMPANY;
  return { type, legalName, says: SAYS[type] ?? '', own: own === '' ? [] : [own], others, expected };
});

interface Case {
  readonly domain: string;
  readonly holder: Holder;
  readonly register: RegisterEntry | 'missing' | null;
  readonly expected: Is;
}

const FLAGGED = ['anzacbiscuits', 'commonwealth-tools', 'red-cross'];
const RESERVED = ['tasmania', 'australia'];

function casesOf({ type, legalName, says, businessNames = [], own, others, expected }: Given): Case[] {
  const holder: Holder = { legalName, idType: 'ABN', id: '53004085616', eligibilityType: says };
  const asked: RegisterEntry = {
    isActive: true,
    entityName: legalName,
    entityType: type,
    businessNames,
    asOf: '2026-11-27',
  };
  const [com, org, au] = expected;
  const made = (
    label: string,
    answers: Readonly<Record<string, Is>>,
    register: Case['register'] = asked,
    by: Holder = holder,
  ): Case[] =>
    SUFFIXES.map((tld) => ({
      domain: `${label}.${tld}`,
      holder: by,
      register,
      expected: answers[tld] ?? 'unknown',
    }));
  const person = type === 'IND' ? 'unknown' : 'not_eligible';
  const known = { 'com.au': com, 'net.au': com, 'org.au': org, 'asn.au': org, 'id.au': person, au } as const;
  const other: Readonly<Record<string, Is>> = {
    ...known,
    'com.au': 'unknown',
    'net.au': 'unknown',
    ...(org === 'not_eligible' ? {} : { 'org.au': 'unknown', 'asn.au': 'unknown' }),
  };
  const flagged: Readonly<Record<string, Is>> = { ...other, au: 'unknown' };
  const none = Object.fromEntries(SUFFIXES.map((tld) => [tld, 'not_eligible'] as const));
  const [first = ''] = own;
  return [
    ...own.flatMap((label) => made(label, known)),
    ...others.flatMap((label) => made(label, other)),
    ...FLAGGED.flatMap((label) => made(label, flagged)),
    ...made(first, {}, null),
    ...made(first, none, 'missing'),
    ...made(first, none, { ...asked, isActive: false }),
    ...made(first, none, { ...asked, entityName: `${legalName} Holdings` }),
    ...made(first, none, asked, { ...holder, id: '53004085617' }),
    ...made(first, { 'id.au': 'not_eligible' }, null, { ...holder, idType: 'ACN', id: '004085616' }),
  ];
}

function nameOf(text: string): DomainName | null {
  const judged = judgeDomainName(text);
  return judged.ok ? judged.domain : null;
}

describe('judgeEligibility', () => {
  const cases = [...HOLDERS, ...TRAPPED].flatMap(casesOf);
  const judged = cases.flatMap((one) => {
    const name = nameOf(one.domain);
    return name ? [{ ...one, verdict: judgeEligibility(name, one.holder, one.register) }] : [];
  });

  it('has no false "eligible" in 500 labelled cases, and no other mistake', () => {
    expect(judged.length).toBeGreaterThanOrEqual(500);
    expect(judged.filter(({ verdict }) => verdict.is === 'eligible').length).toBeGreaterThan(80);
    const wrong = judged.filter(({ verdict, expected }) => verdict.is !== expected);
    expect(
      wrong.map(({ domain, holder, expected, verdict }) => [domain, holder.legalName, expected, verdict]),
    ).toEqual([]);
  });

  it('says rule, source and day of every verdict', () => {
    for (const { verdict } of judged) {
      expect(verdict.rule).toMatch(/^(?:[A-Z]|id\.au|org\.au|asn\.au).+\.$/);
      expect(verdict.source).toMatch(/./);
      expect(verdict.asOf).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    }
  });

  it.each(RESERVED)('%s.au is reserved, whoever asks', (label) => {
    const [one] = cases;
    const name = nameOf(`${label}.au`);
    if (!one || !name) throw new Error('no case');
    expect(judgeEligibility(name, one.holder, one.register)).toMatchObject({ is: 'not_eligible' });
  });
});
