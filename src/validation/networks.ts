import ipaddr from 'ipaddr.js';
import { isIPv4 } from 'node:net';
import { withoutPort } from './formats.js';

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** The address of a caller, with or without a port; IPv4 written as IPv6 becomes IPv4. Null for anything else. */
export function readAddress(text: string | undefined): IpAddress | null {
  const address = withoutPort(text);
  // The common form is read for each refused request.
  if (address !== undefined && isIPv4(address)) return new ipaddr.IPv4(address.split('.').map(Number));
  return address === undefined || !ipaddr.isValid(address) ? null : ipaddr.process(address);
}

/** The network of an address, in canonical form: `203.0.113.0/24`, `2001:db8::/48`. */
export function networkAround(address: IpAddress, bits: number): string {
  if (address.kind() === 'ipv4') {
    const kept = (place: number) => Math.min(8, Math.max(0, bits - 8 * place));
    const octets = address.toByteArray().map((octet, place) => octet & (0xff00 >> kept(place)));
    return `${octets.join('.')}/${bits}`;
  }
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/${bits}`);
  return `${network.toRFC5952String()}/${bits}`;
}

const MAPPED_PREFIX_BITS = 96;

/** An address or a network, as people write it. */
export interface WrittenNetwork {
  readonly address: IpAddress;
  /** Of the address, which may be IPv4 written as IPv6; null: an address alone. */
  readonly bits: number | null;
}

/** @returns null for other text, and for short and octal forms, which are not what their writer meant */
export function readWrittenNetwork(text: string): WrittenNetwork | null {
  const [written = '', bits] = text.split('/');
  if (!ipaddr.IPv4.isValidFourPartDecimal(written) && !ipaddr.IPv6.isValid(written)) return null;
  if (bits !== undefined && !/^\d{1,3}$/.test(bits)) return null;
  const address = ipaddr.process(written);
  const isMapped = ipaddr.parse(written).kind() !== address.kind();
  return { address, bits: bits === undefined ? null : Number(bits) - (isMapped ? MAPPED_PREFIX_BITS : 0) };
}
