/** A whole reviewed text from answers of a registry. Case, punctuation and line breaks do not count. */
export interface ReviewedWording {
  readonly text: string;
  /** `harmless`: a notice about the service and not about the name. */
  readonly meaning: 'not_found' | 'harmless';
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
const SANDBOX: Origin = { meaning: 'harmless', source: 'the sandbox registry', addedOn: '2026-11-23' };

const THINGS = ['domain', 'domain name', 'object', 'domain object', 'resource', 'record', 'entry'];
const NAMED = ['', 'the ', 'the requested ', 'requested '];
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
];
