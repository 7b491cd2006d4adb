import { isIPv6 } from 'node:net';
import { getHostname } from 'tldts';
import { LABEL_LENGTH } from '../../schema/domain.js';

/** Text that is not even the shape of a host name: why, and the host in it where there is one. */
export interface TextFault {
  readonly code: 'domain_invalid' | 'domain_not_registrable';
  /** The rest of a sentence that starts with "domain". */
  readonly fault: string;
  readonly host: string | null;
}

/** The fault of an IPv4 address too, which is written like a host name. */
export const IP_ADDRESS = 'is an IP address, not a name; give a name such as coffeecart.com.au';

/** Whether the text has only what host names are written with; what it says still has to be judged. */
export function isHostText(text: string): boolean {
  return HOST_TEXT.test(text);
}

const HOST_TEXT = /^[A-Za-z0-9._-]+$/;

/**
 * Names the kind of a text that is not a name: a URL, an e-mail address, a foreign script ...
 * Never repeats the text itself, which may hold a password or terminal codes.
 *
 * @param text trimmed, not empty, and not {@link isHostText}
 */
export function faultOfText(text: string): TextFault {
  const control = CONTROL.exec(text);
  if (control) return invalid(`has a control character (${codePoint(control[0])}); remove it`);
  if (URL_START.test(text)) return pasted('is a URL, not a name', text);
  if (WHITE_SPACE.test(text)) return invalid('has white space inside; give one name, without spaces');
  if (IN_BRACKETS.test(text) || isIPv6(text)) return invalid(IP_ADDRESS);
  if (hasPassword(text)) return pasted('has a user and password before the name', text);
  if (text.includes('@')) return pasted('is an e-mail address, not a name', text);
  if (PATH.test(text)) return pasted('has a path or query after the name', text);
  if (text.includes(':')) return pasted('has a colon, as before a port', text);
  return faultOfCharacters(text);
}

const CONTROL = /\p{Cc}/u;
const URL_START = /^(?:[a-z][a-z0-9+.-]*:)?\/\/|^https?:/i;
const WHITE_SPACE = /\s/;
const IN_BRACKETS = /^\[.*\](?::\d*)?$/;
const PASSWORD = /^(?!mailto:)[^:]*:.*@$/i;
const PATH = /[/?#\\]/;
const EMPTY_PORT = /(?<=\.au\.?):(?=$|[/?#])/i;

function hasPassword(text: string): boolean {
  return PASSWORD.test(text.slice(0, text.lastIndexOf('@') + 1));
}

function faultOfCharacters(text: string): TextFault {
  const plain = text.replace(OTHER_DOTS, '.');
  if (isHostText(plain)) {
    const fault = 'has a full-width or ideographic dot; write an ordinary full stop';
    return { code: 'domain_invalid', fault, host: plain };
  }
  const [foreign] = FOREIGN.exec(text) ?? [];
  if (foreign !== undefined)
    return invalid(
      `has ${nameOf(foreign)}; .au has no internationalised names (IDN), only a to z, 0 to 9 and hyphens`,
    );
  const [other] = OTHER.exec(text) ?? [];
  // The names that a certificate or a zone is for are written like that.
  const host = text.startsWith('*.') && isHostText(text.slice(2)) ? text.slice(2) : null;
  return { code: 'domain_invalid', fault: `has "${other}"; use letters, digits and hyphens`, host };
}

// The three dots that browsers take for a full stop (UTS 46).
const OTHER_DOTS = /[\u3002\uff0e\uff61]/g;
const FOREIGN = /[^\p{ASCII}\u3002\uff0e\uff61]/u;
const OTHER = /[^A-Za-z0-9._\-\u3002\uff0e\uff61]/;

function invalid(fault: string): TextFault {
  return { code: 'domain_invalid', fault, host: null };
}

function pasted(fault: string, text: string): TextFault {
  // A colon without a port is legal in a URL; tldts knows it only behind a scheme.
  const host = getHostname(text.replace(EMPTY_PORT, ''));
  return { code: 'domain_not_registrable', fault, host };
}

// Only letters and digits are shown: marks, invisible and direction-changing characters would garble the message.
function nameOf(character: string): string {
  return /[\p{L}\p{N}]/u.test(character) ? `${character} (${codePoint(character)})` : codePoint(character);
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * What breaks .au's rules for a label, as the rest of a sentence that starts with "domain", or null.
 * The rules are auDA's: 2 to 63 characters; letters, digits and hyphens; none of the hyphens first, last, or both in
 * places 3 and 4. Digits alone are allowed.
 *
 * @param label lower-case printable ASCII without a dot
 */
export function faultOfLabel(label: string): string | null {
  // One expression for the common case; the rest only finds the words.
  if (VALID_LABEL.test(label)) return null;
  if (label.length > MAX_LENGTH)
    return `has a label of ${label.length} characters; a .au label has ${MIN_LENGTH} to ${MAX_LENGTH}`;
  if (label.includes('_')) return `has an underscore in "${label}"; use letters, digits and hyphens`;
  if (label.startsWith('-')) return `has a hyphen at the start of "${label}"; start with a letter or digit`;
  if (label.endsWith('-')) return `has a hyphen at the end of "${label}"; end with a letter or digit`;
  if (label.length < MIN_LENGTH)
    return `has "${label}" as its label, one character; a .au label has ${MIN_LENGTH} to ${MAX_LENGTH}`;
  return (
    `has hyphens in places 3 and 4 of "${label}"; .au bars them, and with them internationalised names ` +
    '(IDN, xn--)'
  );
}

const { min: MIN_LENGTH, max: MAX_LENGTH } = LABEL_LENGTH;
const VALID_LABEL = /^(?!..--)[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/;
