import ipaddr from 'ipaddr.js';

export const LOOPBACK_NAME = /(^|\.)localhost\.?$/i;

/**
 * The allocated part of IPv6 (IANA, IPv6 Global Unicast Address Assignments); all else is reserved, or embeds
 * IPv4.
 */
const GIVEN_OUT = ipaddr.IPv6.parseCIDR('2000::/3');
/** The metadata service of a cloud, under a number that looks public. */
const METADATA = '168.63.129.16';

/**
 * Whether a delivery may be made to this IP address. (The agent of request-filtering-agent asks ipaddr.js the
 * same, knows neither of these two, and would only repeat the question.)
 */
export function isAllowedAddress(text: string, allowsLoopback: boolean): boolean {
  const address = ipaddr.parse(text);
  if (allowsLoopback && address.range() === 'loopback') return true;
  if (address.range() !== 'unicast' || text === METADATA) return false;
  if (address instanceof ipaddr.IPv4) return true;
  return address.match(GIVEN_OUT) && !embedded(address.toByteArray()).some(isWithin);
}

export function isLoopback(host: string): boolean {
  return LOOPBACK_NAME.test(host) || (ipaddr.isValid(host) && ipaddr.parse(host).range() === 'loopback');
}

/**
 * The IPv4 addresses that an IPv6 address in a public prefix may embed: of ISATAP (RFC 5214, 6.1), and of a
 * translator whose prefix is the operator's own (RFC 6052, 2.2: after 32, 40, 48, 56, 64 or 96 bits, around
 * an octet of zeros, and zeros behind it).
 */
function embedded(bytes: readonly number[]): number[][] {
  const found: number[][] = [];
  const [u = 0, g = 0, ...rest] = bytes.slice(8);
  if ((u & 0xfd) === 0 && g === 0 && rest[0] === 0x5e && rest[1] === 0xfe) found.push(bytes.slice(12));
  if (bytes.slice(8, 12).every((byte) => byte === 0)) found.push(bytes.slice(12));
  if (u !== 0) return found;
  const around = [...bytes.slice(0, 8), ...bytes.slice(9)];
  for (const start of [4, 5, 6, 7, 8])
    if (around.slice(start + 4).every((byte) => byte === 0)) found.push(around.slice(start, start + 4));
  return found;
}

/**
 * Networks that our machines may be in. Other non-public ranges look like the small numbers that hosts have.
 */
const WITHIN = ['private', 'loopback', 'linkLocal', 'carrierGradeNat'];

function isWithin(bytes: number[]): boolean {
  const address = new ipaddr.IPv4(bytes);
  return WITHIN.includes(address.range()) || address.toString() === METADATA;
}
