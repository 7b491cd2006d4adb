import ipaddr from 'ipaddr.js';

export const MAX_URL_LENGTH = 2048;
const WEB_PORTS = [443, 8443];
/** From here on ports are nobody's in particular. */
const FIRST_FREE_PORT = 1024;
export const LOOPBACK_NAME = /(^|\.)localhost\.?$/i;

/**
 * What is wrong with the address of a receiver; null when nothing is. An early check, for a clear
 * message; the binding one is that of the address connected to (receiver-request.ts), whatever the name led to before.
 *
 * @param allowsLoopback for tests: http, and addresses of this machine
 */
export function judgeReceiver(text: string, allowsLoopback: boolean): string | null {
  if (/[\s\p{Cc}]/u.test(text)) return 'must not hold spaces or control characters';
  if (!URL.canParse(text)) return 'must be a whole address, such as https://example.com/hooks';
  const url = new URL(text);
  // As it is stored and called: what is not ASCII has grown by then.
  if (url.href.length > MAX_URL_LENGTH)
    return `must have at most ${MAX_URL_LENGTH} characters, those beyond ASCII as they are encoded`;
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or a password';
  if (url.hash !== '') return 'must not hold a fragment (#)';
  // What URL reads as numbers (decimal, octal, hexadecimal, short forms) it writes as four of them.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (allowsLoopback && /^https?:$/.test(url.protocol) && isLoopback(host)) return null;
  if (url.protocol !== 'https:') return 'must begin with https://';
  if (LOOPBACK_NAME.test(host) || (ipaddr.isValid(host) && !isAllowedAddress(host, allowsLoopback)))
    return 'must lead to a public address';
  const port = Number(url.port || WEB_PORTS[0]);
  if (!WEB_PORTS.includes(port) && port < FIRST_FREE_PORT)
    return `must have port ${WEB_PORTS.join(', ')} or one from ${FIRST_FREE_PORT} on`;
  return null;
}

/** The part of IPv6 that is given out (IANA, IPv6 Global Unicast Address Assignments); all else is reserved, or embeds IPv4. */
const GIVEN_OUT = ipaddr.IPv6.parseCIDR('2000::/3');
/** The metadata service of a cloud, under a number that looks public. */
const METADATA = '168.63.129.16';

/**
 * Whether a delivery may be made to an address, given as the number itself. (The agent of request-filtering-agent asks ipaddr.js
 * the same, knows neither of these two, and would only repeat the question.)
 */
export function isAllowedAddress(text: string, allowsLoopback: boolean): boolean {
  const address = ipaddr.parse(text);
  if (allowsLoopback && address.range() === 'loopback') return true;
  if (address.range() !== 'unicast' || text === METADATA) return false;
  return address instanceof ipaddr.IPv4 || address.match(GIVEN_OUT);
}

function isLoopback(host: string): boolean {
  return LOOPBACK_NAME.test(host) || (ipaddr.isValid(host) && ipaddr.parse(host).range() === 'loopback');
}
