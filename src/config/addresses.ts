import ipaddr from 'ipaddr.js';

/** Where client addresses come from: the socket (false), a number of proxy hops, or listed proxies. */
export type TrustProxy = false | number | string[];

/** @param problems where what is wrong is added */
export function parseTrustProxy(value: string, problems: string[]): TrustProxy {
  if (value === 'off' || value === '0') return false;
  if (/^\d{1,2}$/.test(value)) return Number(value);
  const proxies = value.split(',').map((item) => item.trim());
  if (!proxies.every(isNetwork))
    problems.push(
      `TRUST_PROXY must be off, a number of hops, or a comma-separated list of addresses or CIDRs, not ${JSON.stringify(value)}`,
    );
  else if (proxies.some((proxy) => /\/0+$/.test(proxy)))
    problems.push(
      `TRUST_PROXY must not cover every address, as ${JSON.stringify(value)} does: anybody could claim to be anybody. Set the number of proxies in front of the service instead, such as 1`,
    );
  return proxies;
}

function isNetwork(text: string): boolean {
  // The one mixed notation that Express reads.
  if (text.includes(':') && text.includes('.') && !/^::ffff:/i.test(text)) return false;
  return (
    ipaddr.IPv4.isValidFourPartDecimal(text) ||
    ipaddr.IPv4.isValidCIDRFourPartDecimal(text) ||
    ipaddr.IPv6.isValid(text) ||
    ipaddr.IPv6.isValidCIDR(text)
  );
}

/** `off`, or host:port. */
export function parseHostPort(value: string): { host: string; port: number } | undefined {
  if (value === 'off') return undefined;
  const [host = '', port = ''] = value.split(':');
  return { host, port: Number(port) };
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Host names in lower case: of this machine, of the service, and others. */
export function hostNames(baseUrl: string, others: readonly string[]): string[] {
  const names = [...LOOPBACK, new URL(baseUrl).hostname, ...others];
  return [...new Set(names.map((name) => name.toLowerCase()))];
}

/** Whether what is sent to the address is seen by nobody on the way: over TLS, or on this machine. */
export function isConfidential(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || LOOPBACK.includes(hostname);
}

/**
 * What a link has for the address that is listened on. A service that listens on every address is reached, on this machine, as
 * localhost. A URL has no room for the interface that a link-local address may name.
 */
export function addressOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host.replace(/%.*$/, '')}]` : host;
}
