import type { ApiError } from '../../errors/api-error.js';
import type { Quote } from './quote-token.js';
import { refusal } from '../ledger/refusals.js';

/** As the registry has it: none, or so many. */
export const MIN_NAME_SERVERS = 2;
export const MAX_NAME_SERVERS = 9;
export const MAX_HOST_LENGTH = 253;
/** Nine of them, and what parts them. */
export const MAX_HOSTS_LENGTH = 2_400;
const HOST = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z][a-z\d-]{0,61}[a-z\d]$/;

/**
 * @param given in any case; none: the name is parked
 * @throws {ApiError} invalid_parameter, also for a renewal, and for hosts below the name itself: those would need
 * addresses at the registry
 */
export function readNameServers(
  given: readonly string[],
  { domain, renews }: Pick<Quote, 'domain' | 'renews'>,
): string[] {
  const hosts = given.map((host) => host.trim().toLowerCase().replace(/\.$/, ''));
  if (hosts.length === 0) return hosts;
  if (renews !== null) throw wrong('cannot come with a renewal, which leaves them as they are');
  if (hosts.length < MIN_NAME_SERVERS || hosts.length > MAX_NAME_SERVERS)
    throw wrong(`must be ${MIN_NAME_SERVERS} to ${MAX_NAME_SERVERS} host names, or none`);
  const bad = hosts.find((host) => host.length > MAX_HOST_LENGTH || !HOST.test(host));
  if (bad !== undefined) throw wrong('must be host names such as ns1.example.net');
  if (new Set(hosts).size < hosts.length) throw wrong('must differ');
  const own = hosts.find((host) => host === domain || host.endsWith(`.${domain}`));
  if (own !== undefined) throw wrong(`cannot be below ${domain}: they would need addresses at the registry`);
  return hosts;
}

/** Hosts as people type them. */
export function hostsIn(text: string): string[] {
  return text.split(/[\s,;]+/).filter((host) => host !== '');
}

function wrong(rule: string): ApiError {
  return refusal('invalid_parameter', 'nameServers', { rule });
}
