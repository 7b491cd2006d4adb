import { SUFFIXES, type Suffix } from '../../schema/domain.js';

const SERVED: ReadonlySet<string> = new Set(SUFFIXES);

/** The suffixes served, as a sentence lists them. */
export const SERVED_LIST = `${SUFFIXES.slice(0, -1).join(', ')} and ${SUFFIXES[SUFFIXES.length - 1]}`;

export function isServed(suffix: string): suffix is Suffix {
  return SERVED.has(suffix);
}

// Whom the other .au suffixes are for, to say why a name under them is refused. tldts knows most of them as public
// suffixes; csiro.au and info.au are not on its list (publicsuffix/list#2267), so they are recognised by this table.
const OTHER_SUFFIXES: Readonly<Record<string, string>> = {
  'gov.au': 'governments of Australia',
  'edu.au': 'education providers',
  'csiro.au': 'CSIRO, the national science agency',
  'conf.au': 'conferences, historic',
  'info.au': 'information services, historic',
  'oz.au': 'an early network, historic',
  'act.au': 'communities of the Australian Capital Territory',
  'nsw.au': 'communities of New South Wales',
  'nt.au': 'communities of the Northern Territory',
  'qld.au': 'communities of Queensland',
  'sa.au': 'communities of South Australia',
  'tas.au': 'communities of Tasmania',
  'vic.au': 'communities of Victoria',
  'wa.au': 'communities of Western Australia',
};

/** Whether names below this direct .au name belong to a suffix that is not served; overrides the public suffix list. */
export function isOtherSuffix(domain: string): boolean {
  return Object.hasOwn(OTHER_SUFFIXES, domain);
}

/** The suffix with whom it is for, where that is known: `nsw.edu.au (education providers)`. */
export function describeSuffix(suffix: string): string {
  const root = suffix.split('.').slice(-2).join('.');
  const purpose = isOtherSuffix(root) ? OTHER_SUFFIXES[root] : undefined;
  return purpose === undefined ? clip(suffix) : `${suffix} (${purpose})`;
}

// A foreign "suffix" is the caller's own text and may be long.
const MAX_SUFFIX_SHOWN = 30;

function clip(suffix: string): string {
  return suffix.length > MAX_SUFFIX_SHOWN ? `…${suffix.slice(-MAX_SUFFIX_SHOWN)}` : suffix;
}
