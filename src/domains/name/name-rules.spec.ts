import { SUFFIXES, type Suffix } from '../schema/domain.js';
import { judgeDomainName } from './domain-name.js';
import { findNameRule, NAME_RULES, NAME_RULES_VERSION } from './name-rules.js';
import { CONFIDENCES } from './rules/name-rule.js';

/** What a rule says of a whole name. */
function ruleOf(domain: string) {
  const [label = '', ...suffix] = domain.split('.');
  const tld = SUFFIXES.find((known) => known === suffix.join('.'));
  if (!tld) throw new Error(`${domain} has no suffix that is served`);
  const rule = findNameRule(label, tld);
  return rule && { reason: rule.reason, registrable: rule.registrable };
}

describe('the data on names', () => {
  it('carry the day of the sources, and a source, a confidence and words each', () => {
    expect(NAME_RULES_VERSION).toMatch(/^\d{4}-\d\d-\d\d$/);
    for (const rule of NAME_RULES) {
      expect(rule.source).toMatch(/https?:\/\/\S+/);
      expect(rule.what).not.toBe('');
      expect(CONFIDENCES).toContain(rule.confidence);
      expect(rule.suffixes.length).toBeGreaterThan(0);
      expect(rule.words).toMatch(/^[a-z0-9]+( [a-z0-9]+)*$/);
    }
  });

  it('refuse nothing that is in doubt, and nothing that some may hold', () => {
    const refusing = NAME_RULES.filter(({ registrable }) => registrable === false);
    expect(refusing.filter(({ confidence }) => confidence === 'doubtful')).toEqual([]);
    expect(refusing.filter(({ reason }) => reason === 'restricted' || reason === 'eligibility')).toEqual([]);
  });

  it('say one thing of a label under a suffix', () => {
    const keys = NAME_RULES.flatMap(({ words, suffixes }) => suffixes.map((tld) => `${words}.${tld}`));
    expect(keys.filter((key, place) => keys.indexOf(key) !== place)).toEqual([]);
  });

  it.each(NAME_RULES.filter(({ registrable }) => registrable === false))(
    '$words.au is never judged free',
    ({ words }) => {
      const judgement = judgeDomainName(`${words.replaceAll(' ', '-')}.au`);
      if (judgement.ok) expect(judgement.domain.reserved?.words).toBe(words);
      else expect(judgement.message).toContain('is itself a suffix');
    },
  );

  it('hold every suffix we serve, whatever the public suffix list becomes', () => {
    const below = SUFFIXES.filter((suffix) => suffix !== 'au').map((suffix) => suffix.replace('.au', ''));
    for (const label of below) expect(ruleOf(`${label}.au`)).toMatchObject({ registrable: false });
  });
});

describe('findNameRule', () => {
  type Known = [domain: string, reason: string, registrable: false | null];
  it.each<Known>([
    ['www.com.au', 'reserved', null],
    ['www.au', 'reserved', false],
    ['anzac.com.au', 'restricted', null],
    ['anzac.au', 'restricted', null],
    ['anzacday-biscuits.id.au', 'restricted', null],
    ['medicare.au', 'restricted', null],
    ['mymedicare.org.au', 'restricted', null],
    ['net.org.au', 'suffix_like', null],
    ['au.com.au', 'suffix_like', null],
    ['uk.com.au', 'suffix_like', null],
    ['csiro.net.au', 'suffix_like', null],
    ['info.au', 'suffix_like', false],
    ['biz.au', 'suffix_like', null],
    ['australia.com.au', 'reserved', null],
    ['australia.au', 'reserved', false],
    ['nsw.net.au', 'reserved', null],
    ['sa.com.au', 'reserved', null],
    ['new-south-wales.asn.au', 'reserved', null],
    ['newsouthwales.au', 'reserved', false],
    ['norfolk-island.au', 'reserved', null],
    ['wpad.com.au', 'reserved', null],
    ['bank.au', 'restricted', null],
    ['my-bank.com.au', 'restricted', null],
    ['grandprix.com.au', 'restricted', null],
    ['melbourne-grand-prix.com.au', 'restricted', null],
    ['red-cross.org.au', 'restricted', null],
    ['made-in-australia.au', 'restricted', null],
    ...['oz.au', 'conf.au'].map((domain): Known => [domain, 'suffix_like', false]),
    ...['act', 'nt', 'qld', 'tas', 'wa', 'vic', 'queensland', 'northern-territory'].flatMap(
      (state): Known[] => [
        [`${state}.org.au`, 'reserved', null],
        [`${state}.au`, 'reserved', false],
      ],
    ),
    ...['coral-sea-islands', 'ashmoreandcartierislands', 'jervis-bay-territory'].map((label): Known => [
      `${label}.net.au`,
      'reserved',
      null,
    ]),
    ...[
      ...['federal-court', 'the-commonwealth', 'credit-union', 'buildingsociety', 'adi', 'air-force'],
      ...['olympic', 'sydney-olympics', 'aboriginal-council', 'family-relationships-online'],
    ].map((label): Known => [`${label}.com.au`, 'restricted', null]),
    ['acme-pty-ltd.id.au', 'eligibility', null],
    ['acme-pty-limited.org.au', 'eligibility', null],
    ['acmeptyltd.asn.au', 'eligibility', null],
  ])('knows %s: %s', (domain, reason, registrable) => {
    expect(ruleOf(domain)).toEqual({ reason, registrable });
  });

  it.each([
    ...['coffee.au', 'coffee.com.au', 'uk.au', 'bankstown.com.au', 'riverbanks.com.au', 'databank.net.au'],
    ...['westernaustralian.com.au', 'australian.au', 'wwwshop.com.au', 'federalist.au', 'acmeptyltd.com.au'],
    ...['constructor.au', '__proto__.au', 'net-org.com.au'],
  ])('knows nothing of %s', (domain) => {
    expect(ruleOf(domain)).toBeNull();
  });

  it.each<[string, Suffix]>([['', 'au']])('takes any text, also %j', (label, tld) => {
    expect(findNameRule(label, tld)).toBeNull();
  });
});
