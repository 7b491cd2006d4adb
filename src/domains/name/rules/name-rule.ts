import { SUFFIXES, type Suffix } from '../../schema/domain.js';

/** Why a name that looks free may not be had: codes that answers give. */
export const NAME_REASONS = ['reserved', 'restricted', 'suffix_like', 'eligibility', 'contested'] as const;
export type NameReason = (typeof NAME_REASONS)[number];

/**
 * `certain`: published for these names; `likely`: follows from a publication; `doubtful`: old, indirect or our
 * reading.
 */
export const CONFIDENCES = ['certain', 'likely', 'doubtful'] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/**
 * Where the words must stand in the label: they are all of it; they stand between its hyphens or ends; anywhere in
 * it; or at its end. Several words may be written together or with hyphens.
 */
export type Place = 'label' | 'word' | 'part' | 'end';

/** One entry of the data file on names: labels that are not like others. */
export interface NameRule {
  /** Lower-case words of the label, with one space between them. */
  readonly words: string;
  readonly place: Place;
  readonly suffixes: readonly Suffix[];
  readonly reason: NameReason;
  /** False: barred, and the registry is not asked. Null: a flag, and the registry is asked as usual. */
  readonly registrable: false | null;
  readonly confidence: Confidence;
  /** What the label is, as it follows on "It is". */
  readonly what: string;
  /** Where the entry comes from. */
  readonly source: string;
  /** The day of the source, YYYY-MM-DD, where it is not that of the data file. */
  readonly asOf?: string;
}

/** The five suffixes below .au, which the policy of 2002 was written for. */
export const BELOW_AU: readonly Suffix[] = SUFFIXES.filter((suffix) => suffix !== 'au');
export const DIRECT: readonly Suffix[] = ['au'];

export function rulesFor(words: readonly string[], rule: Omit<NameRule, 'words'>): NameRule[] {
  return words.map((label) => ({ words: label, ...rule }));
}

export const SOURCES = {
  /**
   * Today's categories: a law restricts the word; a state, territory or "Australia"; a risk to the DNS; future
   * suffixes.
   */
  auda: 'auDA, Reserved names, https://www.auda.org.au/au-domain-names/domain-name-help/reserved-names',
  /**
   * Bars "www" and the top-level domains of its day as labels below the five suffixes. It is unclear whether it
   * still holds.
   */
  policy2002: 'auDA policy 2002-30, 2.2, http://www.conexim.com.au/documents/audareservedpolicy.html',
  publicSuffixList: 'Public Suffix List, section au, https://publicsuffix.org/list/',
  infoHeld: 'auDA, quoted in https://github.com/publicsuffix/list/pull/2267',
  history: 'Caslon Analytics, dot-au, http://caslon.com.au/audaprofile1.html',
  anzac: 'auDA, Protecting ANZAC domain names, https://auda.org.au/blog/protecting-anzac-domain-names-au',
  scheduleA:
    'auDA Reserved List Policy, Schedule A, as told by ' +
    'https://lawpath.com.au/blog/reserved-domain-names-names-cant-used',
  scheduleA2018:
    'auDA Reserved List Policy, Schedule A of 2018, as told by ' +
    'https://domain-recht.de/domain-registrierung/laender-endungen-cctld/' +
    'cctlds-australien-beschraenkt-domain-namen-unter-au-66242.html',
  companyNames:
    'Corporations Regulations 2001, Schedule 6, ' +
    'https://asic.gov.au/for-business/registering-a-company/steps-to-register-a-company/' +
    'company-name-availability/restricted-words-in-company-and-body-corporate-names',
  businessNames:
    'ASIC, Restricted words in business names, ' +
    'https://asic.gov.au/for-business/registering-a-business-name/before-you-register-a-business-name/' +
    'business-name-availability/guidelines-for-ministerial-consent/restricted-words-and-expressions-in-business-names/',
  collisions:
    'ICANN, name collision, https://www.icann.org/resources/pages/name-collision-2013-12-06-en (our ' +
    'reading of the category "risk to the DNS")',
  idau:
    'auDA licensing rules, 2.4.8, ' +
    'https://www.auda.org.au/au-domain-names/domain-name-help/idau-rules-eligibility-and-allocation',
  nonProfit:
    'auDA licensing rules, 2.4, ' +
    'https://auda.org.au/au-domain-names/au-rules-and-policies/au-domain-administration-rules-licensing-2',
} as const;
