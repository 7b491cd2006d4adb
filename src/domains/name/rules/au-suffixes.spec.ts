import { getPublicSuffix } from 'tldts';
import { SUFFIXES } from '../../schema/domain.js';
import { judgeDomainName } from '../domain-name.js';
import { describeSuffix, isOtherSuffix } from './au-suffixes.js';

// The section "au" of the public suffix list.
const PUBLIC_SUFFIXES = [
  ...['au', 'com.au', 'net.au', 'org.au', 'edu.au', 'gov.au', 'asn.au', 'id.au', 'conf.au', 'oz.au'],
  ...['act', 'nsw', 'nt', 'qld', 'sa', 'tas', 'vic', 'wa'].map((state) => `${state}.au`),
  ...['act', 'catholic', 'nsw', 'nt', 'qld', 'sa', 'tas', 'vic', 'wa'].map((state) => `${state}.edu.au`),
  ...['qld', 'sa', 'tas', 'vic', 'wa'].map((state) => `${state}.gov.au`),
];

describe('every public suffix under .au', () => {
  it.each(PUBLIC_SUFFIXES)('%s alone is no name', (suffix) => {
    expect(judgeDomainName(suffix)).toMatchObject({ code: 'domain_not_registrable', registrable: null });
  });

  it.each(PUBLIC_SUFFIXES)('coffee.%s is judged by whether we serve the suffix', (suffix) => {
    const judgement = judgeDomainName(`coffee.${suffix}`);
    if (SUFFIXES.some((served) => served === suffix)) expect(judgement.ok).toBe(true);
    else expect(judgement).toMatchObject({ code: 'domain_suffix_unsupported' });
  });

  it.each(SUFFIXES)('%s, which we serve, is still one for tldts', (suffix) => {
    expect(getPublicSuffix(suffix, { allowPrivateDomains: false })).toBe(suffix);
  });
});

describe('describeSuffix', () => {
  it.each([
    ['gov.au', 'governments of Australia'],
    ['edu.au', 'education providers'],
    ['csiro.au', 'CSIRO, the national science agency'],
    ['conf.au', 'conferences, historic'],
    ['info.au', 'information services, historic'],
    ['oz.au', 'an early network, historic'],
    ['act.au', 'communities of the Australian Capital Territory'],
    ['nsw.au', 'communities of New South Wales'],
    ['nt.au', 'communities of the Northern Territory'],
    ['qld.au', 'communities of Queensland'],
    ['sa.au', 'communities of South Australia'],
    ['tas.au', 'communities of Tasmania'],
    ['vic.au', 'communities of Victoria'],
    ['wa.au', 'communities of Western Australia'],
  ])('says of %s whom it is for, and of what is below it', (suffix, purpose) => {
    expect(isOtherSuffix(suffix)).toBe(true);
    expect(describeSuffix(suffix)).toBe(`${suffix} (${purpose})`);
    expect(describeSuffix(`perth.${suffix}`)).toBe(`perth.${suffix} (${purpose})`);
  });

  it.each([
    ['com', 'com'],
    ['co.uk', 'co.uk'],
    ['constructor', 'constructor'],
    // Of what the caller wrote no more than the last 30 characters.
    ['abcdefghijklmnopqrstuvwxyz1234', 'abcdefghijklmnopqrstuvwxyz1234'],
    ['0abcdefghijklmnopqrstuvwxyz1234', '…abcdefghijklmnopqrstuvwxyz1234'],
    [`${'z'.repeat(40)}abcdefghijklmnopqrstuvwxyz1234`, '…abcdefghijklmnopqrstuvwxyz1234'],
  ])('repeats %s as %s', (suffix, shown) => {
    expect(describeSuffix(suffix)).toBe(shown);
  });
});
