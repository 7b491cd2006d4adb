import { isIPv6 } from 'node:net';
import { getHostname } from 'tldts';

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
 * Names what somebody gave in the place of a name: a URL, an e-mail address, a foreign script ...
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
