/** Meaning of an error's texts. `more`: a text that is not known to mean "not found". */
export type Meaning = 'limited' | 'refused' | 'not_served' | 'reserved' | 'declined' | 'not_found' | 'more';

/** Longest text that is looked at, and longest sentence of a registry that is passed on; in characters. */
const MAX_TEXT_LENGTH = 2000;
const MAX_MESSAGE_LENGTH = 160;

// Texts of registries' servers for a missing object, as normalise() leaves them. Whole sentences only: a text that is
// not in this list is no "not found". The operator adds what the registry really says (REGISTRY_NOT_FOUND_WORDINGS).
const NOT_FOUND: ReadonlySet<string> = new Set([
  ...[
    '',
    'error',
    'error 404',
    '404',
    'http 404',
    'not found',
    '404 not found',
    'http 404 not found',
    'was not found',
  ],
  ...['does not exist', 'no match', 'no match found', 'no data found', 'no entries found'],
  ...['domain', 'domain name', 'object', 'domain object', 'resource', 'record', 'entry'].flatMap((thing) => [
    ...[`no ${thing} found`, `no such ${thing}`],
    ...['', 'the ', 'the requested ', 'requested '].flatMap((which) =>
      ['not found', 'was not found', 'could not be found', 'cannot be found', 'does not exist'].map(
        (end) => which + `${thing} ${end}`,
      ),
    ),
  ]),
]);

export interface HarmlessNotice {
  /** Whole, as the registry sends it; case, punctuation and line breaks do not count. */
  readonly text: string;
  /** Who sends it, or who prescribes it. */
  readonly source: string;
  /** When it was added here, YYYY-MM-DD. */
  readonly addedOn: string;
}

/**
 * Texts of notices about the service and not about the name. Add one only after reading it in a real answer; a
 * registry's own is added without a release by REGISTRY_NOT_FOUND_WORDINGS.
 */
export const HARMLESS_NOTICES: readonly HarmlessNotice[] = [
  {
    text: 'For more information on domain status codes, please visit https://icann.org/epp',
    source: 'ICANN, RDAP Response Profile, 2.6.3',
    addedOn: '2026-11-23',
  },
  {
    text: 'URL of the ICANN RDDS Inaccuracy Complaint Form: https://icann.org/wicf',
    source: 'ICANN, RDAP Response Profile, 2.10',
    addedOn: '2026-11-23',
  },
  {
    text: 'URL of the ICANN RDDS Inaccuracy Complaint Form: https://www.icann.org/wicf',
    source: 'ICANN, RDAP Response Profile, 2.10',
    addedOn: '2026-11-23',
  },
  {
    text:
      'This is the sandbox registry of Bowerbird. Everything in it is made up. The real registry limits the rate ' +
      'of queries and may block those who exceed it.',
    source: 'the sandbox registry',
    addedOn: '2026-11-23',
  },
];

const HARMLESS: ReadonlySet<string> = new Set(HARMLESS_NOTICES.map(({ text }) => normalise(text)));

// In this order, because a text about limits or about who may ask says nothing of the name.
const SPEAKS_OF: readonly (readonly [Meaning, RegExp])[] = [
  ['limited', /rate.?limit|too many|quota|throttl|limit (was |is |has been )?(exceeded|reached)/i],
  ['refused', /unauthori[sz]ed|forbidden|access (is |was )?denied|(address|client|access)\b.* blocked/i],
  ['not_served', /unsupported|no (rdap )?service|not (supported|served|authoritative)/i],
  ['reserved', /(?<!rights |not |un)reserved/i],
  ['declined', /restricted|prohibited|withheld|(cannot|can't|can not|may not|must not|not) be registered/i],
  ['declined', /unregistrable|ineligible|not (registrable|eligible|(open|available) for registration)/i],
  ['declined', /(name|domain|label) (is |was |has been )?blocked/i],
];

/**
 * What the texts of an RDAP error say of the name, taken together.
 *
 * @param domain the name that was asked: quoting it says nothing, and quota.com.au is an ordinary name
 * @param learned wordings of "not found" beside the known ones
 */
export function meaningOf(texts: readonly string[], domain: string, learned: ReadonlySet<string>): Meaning {
  const nameless = texts.map((text) => withoutName(text.slice(0, MAX_TEXT_LENGTH), domain));
  const found = SPEAKS_OF.find(([, pattern]) => nameless.some((text) => pattern.test(text)));
  if (found) return found[0];
  const isKnown = (sentence: string) => NOT_FOUND.has(sentence) || learned.has(sentence);
  const isWhole = texts.every((text) => text.length <= MAX_TEXT_LENGTH);
  const sentences = nameless.flatMap((text) => text.split(/[.:;!?\n]/)).map(normalise);
  return isWhole && sentences.every(isKnown) ? 'not_found' : 'more';
}

/**
 * Kind of a notice beside an error. `harmless` says nothing about the name; `unknown` is about the service by its
 * title, but its text has not been reviewed; `speech` is read like the rest of the error. A title or a type alone
 * does not make a notice harmless.
 */
export function judgeNotice(
  { title, description, type }: Readonly<Record<string, unknown>>,
  learned: ReadonlySet<string>,
): 'harmless' | 'unknown' | 'speech' {
  if (typeof title !== 'string' || !ABOUT_THE_SERVICE.has(normalise(title))) return 'speech';
  const text = normalise([description].flat().join(' '));
  return type === undefined && (HARMLESS.has(text) || learned.has(text)) ? 'harmless' : 'unknown';
}

/** Titles, normalised, of what registries put into every answer. */
const ABOUT_THE_SERVICE = new Set([
  ...['terms of use', 'terms of service', 'terms and conditions', 'status codes', 'about', 'disclaimer'],
  ...['copyright notice', 'legal notice', 'privacy policy', 'data policy', 'usage policy'],
  ...['rdds inaccuracy complaint form', 'whois inaccuracy complaint form'],
]);

/** Lower case, words only: so that neither punctuation nor line breaks make a new wording. */
export function normalise(sentence: string): string {
  return sentence
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** A registry's words to pass on: one short line without control characters, e-mail addresses and long numbers. */
export function shorten(texts: readonly string[]): string {
  const line = texts
    .map((text) =>
      text
        .slice(0, MAX_TEXT_LENGTH)
        .replace(/[\p{C}\p{Z}]+/gu, ' ')
        .trim(),
    )
    .join(': ')
    .replace(/\S+@\S+|\+?\d[\d ()-]{5,}\d/g, '…');
  const characters = [...line];
  return characters.length > MAX_MESSAGE_LENGTH
    ? `${characters.slice(0, MAX_MESSAGE_LENGTH - 1).join('')}…`
    : line;
}

// The dots of a name would end a sentence too early. Another name that holds this one stays.
function withoutName(text: string, domain: string): string {
  const name = new RegExp(`(?<![\\w.-])${domain.replaceAll('.', '\\.')}(?![\\w-])(?!\\.\\w)`, 'gi');
  return text.replace(name, '');
}
