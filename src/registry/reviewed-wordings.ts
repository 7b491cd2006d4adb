/**
 * `not_found` and `harmless` (a notice about the service and not about the name) are whole texts. `title` is what such
 * notices are called, which makes none of them harmless. The others are phrases inside a text: `idiom` says nothing,
 * though it holds one of the others.
 */
export const WORDING_MEANINGS = [
  'not_found',
  'limited',
  'refused',
  'not_served',
  'reserved',
  'declined',
  'harmless',
  'title',
  'idiom',
] as const;

/** A reviewed text from answers of a registry. Case, punctuation and line breaks do not count. */
export interface ReviewedWording {
  /** In a phrase "…" stands for any words, and "*" for the rest of a word. */
  readonly text: string;
  readonly meaning: (typeof WORDING_MEANINGS)[number];
  /** Who sends it, or who prescribes it. */
  readonly source: string;
  /** When it was added here, YYYY-MM-DD. */
  readonly addedOn: string;
}

type Origin = Omit<ReviewedWording, 'text'>;

function wordings(origin: Origin, texts: readonly string[]): ReviewedWording[] {
  return texts.map((text) => ({ text, ...origin }));
}

const HTTP: Origin = { meaning: 'not_found', source: 'HTTP, RFC 9110, 15.5.5', addedOn: '2026-11-22' };
const SERVERS: Origin = {
  meaning: 'not_found',
  source: 'RDAP servers in general; RFC 9083 prescribes no text',
  addedOn: '2026-11-22',
};
const WHOIS: Origin = { meaning: 'not_found', source: 'WHOIS servers in general', addedOn: '2026-11-22' };
const ICANN: Origin = { meaning: 'harmless', source: 'ICANN, RDAP Response Profile', addedOn: '2026-11-23' };
const PROFILE: Origin = {
  ...{ meaning: 'title', addedOn: '2026-11-22' },
  source: 'ICANN, RDAP Response Profile, and RDAP servers in general',
};
const SANDBOX: Origin = { meaning: 'harmless', source: 'the sandbox registry', addedOn: '2026-11-23' };

/** Phrases have no prescribed text either. */
function phrases(meaning: ReviewedWording['meaning'], texts: readonly string[]): ReviewedWording[] {
  return wordings({ meaning, source: 'RDAP and WHOIS servers in general', addedOn: '2026-11-24' }, texts);
}

const THINGS = ['domain', 'domain name', 'object', 'domain object', 'resource', 'record', 'entry'];
const NAMED = ['', 'the ', 'the requested ', 'requested '];
const IS = ['', 'is ', 'was ', 'has been '];
const MISSING = ['not found', 'was not found', 'could not be found', 'cannot be found', 'does not exist'];

/**
 * Texts that were reviewed. A text that is not here makes no name free. What the .au registry's 404 says word by word
 * is published nowhere: an operator adds it after reading it (`bowerbird registry add-wording`).
 */
export const REVIEWED_WORDINGS: readonly ReviewedWording[] = [
  ...wordings(HTTP, ['404', 'error 404', 'http 404', 'not found', '404 not found', 'http 404 not found']),
  ...wordings(SERVERS, ['error', 'was not found', 'does not exist']),
  ...wordings(
    SERVERS,
    THINGS.flatMap((thing) => [
      ...[`no ${thing} found`, `no such ${thing}`],
      ...NAMED.flatMap((which) => MISSING.map((end) => `${which}${thing} ${end}`)),
    ]),
  ),
  ...wordings(WHOIS, ['no match', 'no match found', 'no data found', 'no entries found']),
  ...wordings(ICANN, [
    'For more information on domain status codes, please visit https://icann.org/epp',
    'URL of the ICANN RDDS Inaccuracy Complaint Form: https://icann.org/wicf',
    'URL of the ICANN RDDS Inaccuracy Complaint Form: https://www.icann.org/wicf',
  ]),
  ...wordings(SANDBOX, [
    'This is the sandbox registry of Bowerbird. Everything in it is made up. The real registry limits the rate ' +
      'of queries and may block those who exceed it.',
  ]),
  ...wordings(PROFILE, [
    ...['terms of use', 'terms of service', 'terms and conditions', 'status codes', 'about', 'disclaimer'],
    ...['copyright notice', 'legal notice', 'privacy policy', 'data policy', 'usage policy'],
    ...['rdds inaccuracy complaint form', 'whois inaccuracy complaint form'],
  ]),
  ...phrases('limited', [
    ...['rate limit*', 'ratelimit*', 'too many', 'quota*', 'throttl*'],
    ...IS.flatMap((is) => [`limit ${is}exceeded`, `limit ${is}reached`]),
  ]),
  ...phrases('refused', [
    ...[
      'unauthorized',
      'unauthorised',
      'forbidden',
      'access denied',
      'access is denied',
      'access was denied',
    ],
    ...['address … blocked', 'client … blocked', 'access … blocked'],
  ]),
  ...phrases('not_served', [
    ...['unsupported', 'no service', 'no rdap service', 'not supported', 'not served', 'not authoritative'],
  ]),
  ...phrases('reserved', ['reserved']),
  ...phrases('idiom', ['rights reserved', 'not reserved']),
  ...phrases('declined', [
    ...['restricted', 'prohibited', 'withheld', 'unregistrable', 'ineligible'],
    ...[
      'cannot be registered',
      "can't be registered",
      'not be registered',
      'not registrable',
      'not eligible',
    ],
    ...['not open for registration', 'not available for registration'],
    ...['name', 'domain', 'label'].flatMap((thing) => IS.map((is) => `${thing} ${is}blocked`)),
  ]),
];
