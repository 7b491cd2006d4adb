/** A label that nobody can register directly under .au. */
export interface ReservedName {
  readonly label: string;
  readonly kind: 'suffix' | 'state_or_territory' | 'country' | 'top_level_domain' | 'technical';
  readonly reason: string;
  /** Where the entry comes from. */
  readonly source: string;
}

/** The day on which the sources were last read; change it with the table. */
export const RESERVED_NAMES_VERSION = '2026-11-20';

const SOURCES = {
  /** Today's categories: states, territories and "Australia" by name or abbreviation; threats to stability; future second-level domains. */
  auda: 'auDA, Reserved names, https://www.auda.org.au/au-domain-names/domain-name-help/reserved-names',
  /** Bars "www" and the top-level domains of its day as labels. Written for com.au and its like; see TOP_LEVEL_DOMAINS. */
  policy2002: 'auDA policy 2002-30, 2.2, http://www.conexim.com.au/documents/audareservedpolicy.html',
  publicSuffixList: 'Public Suffix List, section au, https://publicsuffix.org/list/',
  infoHeld: 'auDA, quoted in https://github.com/publicsuffix/list/pull/2267',
  history: 'Caslon Analytics, dot-au, http://caslon.com.au/audaprofile1.html',
} as const;

// tldts knows most suffixes and judgeDomainName refuses them as such. They stand here as well because the list loses
// entries (info.au is gone from it), and a suffix must not turn into an available name by an update of a library.
const SUFFIX_LABELS = [
  ...entries('suffix', 'a suffix of .au', SOURCES.publicSuffixList, [
    'com',
    'net',
    'org',
    'edu',
    'gov',
    'asn',
    'id',
  ]),
  ...entries('suffix', 'a historic suffix of .au', SOURCES.publicSuffixList, ['conf', 'oz']),
  ...entries('suffix', 'a historic suffix, held by the Government of Tasmania', SOURCES.infoHeld, ['info']),
  ...entries('suffix', 'the suffix of CSIRO, the national science agency', SOURCES.history, ['csiro']),
];

// The eight that auDA's community suffixes cover. A name of several words is a label in two spellings.
const STATES_AND_TERRITORIES = [
  ...stateOrTerritory('the Australian Capital Territory', [
    'act',
    ...spellings('australian', 'capital', 'territory'),
  ]),
  ...stateOrTerritory('New South Wales', ['nsw', ...spellings('new', 'south', 'wales')]),
  ...stateOrTerritory('the Northern Territory', ['nt', ...spellings('northern', 'territory')]),
  ...stateOrTerritory('Queensland', ['qld', 'queensland']),
  ...stateOrTerritory('South Australia', ['sa', ...spellings('south', 'australia')]),
  ...stateOrTerritory('Tasmania', ['tas', 'tasmania']),
  ...stateOrTerritory('Victoria', ['vic', 'victoria']),
  ...stateOrTerritory('Western Australia', ['wa', ...spellings('western', 'australia')]),
];

const TECHNICAL = [
  ...entries('country', 'the name of the country', SOURCES.auda, ['australia']),
  ...entries('technical', 'the customary host name of web servers', SOURCES.policy2002, ['www']),
  ...entries('top_level_domain', 'the top-level domain itself', SOURCES.policy2002, ['au']),
];

// Nobody has published whether the rule of 2002 holds directly under .au too. For these few labels we take it to hold:
// calling a reserved name available would be the worse mistake. The other country codes are left to the registry:
// two-letter labels are allowed under .au, and the policy does not list them.
const TOP_LEVEL_DOMAINS = entries('top_level_domain', 'a top-level domain of its own', SOURCES.policy2002, [
  ...['mil', 'int', 'biz', 'name', 'museum', 'coop', 'aero', 'pro'],
]);

/**
 * Labels that cannot be registered directly under .au, each with its source. Complete it is not: auDA publishes no list
 * that a program can read. Words that a law restricts (ANZAC, Medicare ...) are not here, as some may hold them.
 */
export const RESERVED_NAMES: readonly ReservedName[] = [
  ...SUFFIX_LABELS,
  ...STATES_AND_TERRITORIES,
  ...TECHNICAL,
  ...TOP_LEVEL_DOMAINS,
];

const BY_LABEL: ReadonlyMap<string, ReservedName> = new Map(
  RESERVED_NAMES.map((entry) => [entry.label, entry]),
);

/** @returns the entry for a label directly under .au, or null when the table knows no reason against it */
export function findReservedName(label: string): ReservedName | null {
  return BY_LABEL.get(label) ?? null;
}

function entries(
  kind: ReservedName['kind'],
  reason: string,
  source: string,
  labels: string[],
): ReservedName[] {
  return labels.map((label) => ({ label, kind, reason, source }));
}

function stateOrTerritory(name: string, labels: string[]): ReservedName[] {
  return entries('state_or_territory', `a name or abbreviation of ${name}`, SOURCES.auda, labels);
}

function spellings(...words: string[]): string[] {
  return [words.join(''), words.join('-')];
}
