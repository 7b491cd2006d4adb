import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { parse as parseName } from 'tldts';
import ipaddr from 'ipaddr.js';

const LOOPBACK_NAME = /(^|\.)localhost\.?$/i;

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

function isLoopback(host: string): boolean {
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

export const MAX_URL_LENGTH = 2048;
const WEB_PORTS = [443, 8443];
/** From this port on, ports belong to no particular service. */
const FIRST_FREE_PORT = 1024;

/**
 * The problem with a receiver's address, or null. An early check for a clear message; {@link receiverLookup}
 * is binding, as it checks the address actually connected to.
 *
 * @param allowsLoopback for tests: http, and addresses of this machine
 */
export function judgeReceiver(text: string, allowsLoopback: boolean): string | null {
  if (/[\s\p{Cc}]/u.test(text)) return 'must not hold spaces or control characters';
  if (!URL.canParse(text)) return 'must be a whole address, such as https://example.com/hooks';
  const url = new URL(text);
  // Measured in the stored form, where non-ASCII characters are longer.
  if (url.href.length > MAX_URL_LENGTH)
    return `must have at most ${MAX_URL_LENGTH} characters, those beyond ASCII as they are encoded`;
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or a password';
  if (url.hash !== '') return 'must not hold a fragment (#)';
  // What URL reads as numbers (decimal, octal, hexadecimal, short forms) it writes as four of them.
  const host = url.hostname.replace(/[[\]]/g, '');
  if (allowsLoopback && ['http:', 'https:'].includes(url.protocol) && isLoopback(host)) return null;
  if (url.protocol !== 'https:') return 'must begin with https://';
  if (LOOPBACK_NAME.test(host) || (ipaddr.isValid(host) && !isAllowedAddress(host, allowsLoopback)))
    return 'must lead to a public address';
  const port = Number(url.port || WEB_PORTS[0]);
  if (!WEB_PORTS.includes(port) && port < FIRST_FREE_PORT)
    return `must have port ${WEB_PORTS.join(', ')} or one from ${FIRST_FREE_PORT} on`;
  return null;
}

/**
 * The same for a new webhook or URL: `intranet`, `db.internal` and `nas.local` resolve only inside a network,
 * and may resolve to a public number there.
 */
export function judgeNewReceiver(text: string, allowsLoopback: boolean): string | null {
  const problem = judgeReceiver(text, allowsLoopback);
  if (problem !== null) return problem;
  const host = new URL(text).hostname.replace(/[[\]]|\.$/g, '');
  if (ipaddr.isValid(host) || (allowsLoopback && isLoopback(host)) || isPublicName(host)) return null;
  return 'must have a name that the whole internet knows, such as hooks.example.com';
}

/** Whether it lies below a suffix that is delegated, and below one that is there for hosts. */
function isPublicName(host: string): boolean {
  const { domain, isIcann } = parseName(host, { validateHostname: false });
  return domain !== null && isIcann === true && !/\.(arpa|onion)$/.test(host);
}

/** A question that is not answered after this long is asked once more. */
const RESOLVER_LIMITS = { timeout: 3_000, tries: 2 };

/** The part of {@link Resolver} that is used. */
type AddressResolver = Readonly<Record<'resolve4' | 'resolve6', (hostname: string) => Promise<string[]>>>;

/**
 * Finds a receiver's addresses and rejects it when any is not public: the checked addresses are the ones
 * connected to.
 *
 * DNS is asked directly, without the system's resolver: that one waits in the process's four shared threads,
 * so a few receivers with a dead name server would block everything (900 deliveries to one dead name kept a
 * process from ending for a minute). The hosts file is not read; nothing in it is public.
 */
export function receiverLookup(
  allowsLoopback: boolean,
  resolver: AddressResolver = new Resolver(RESOLVER_LIMITS),
): LookupFunction {
  return (hostname, { all, family }, callback) => {
    findAddresses(hostname, resolver).then(
      (found) => {
        const wanted = found.filter((one) => !family || one.family === family);
        const [first] = wanted;
        const refused = wanted.find(({ address }) => !isAllowedAddress(address, allowsLoopback));
        if (!first) callback(new Error(`${hostname} has no such address`), '');
        else if (refused)
          callback(new Error(`${hostname} leads to ${refused.address}, which is not a public address`), '');
        else if (all) callback(null, wanted);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), ''),
    );
  };
}

async function findAddresses(hostname: string, resolver: AddressResolver): Promise<LookupAddress[]> {
  // What this name means is no question for DNS (RFC 6761, section 6.3).
  if (LOOPBACK_NAME.test(hostname)) return [{ address: '127.0.0.1', family: 4 }];
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
  const listed = (outcome: PromiseSettledResult<string[]>, family: number) =>
    outcome.status === 'fulfilled' ? outcome.value.map((address) => ({ address, family })) : [];
  return [...listed(four, 4), ...listed(six, 6)];
}
