import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isAllowedAddress, LOOPBACK_NAME } from './receiver-address.js';

/** A question that is not answered after this long is asked once more. */
const RESOLVER_LIMITS = { timeout: 3_000, tries: 2 };

/**
 * Finds the addresses of a receiver, and refuses it when any of them is not public: what is judged here is what is connected to.
 *
 * DNS is asked itself, without the system's resolver: that one waits in the four threads which all of the process shares,
 * so a few receivers with a name server that does not answer would hold up everything (here 900 deliveries to one dead name kept
 * a process from ending for a minute). The hosts file is not read; nothing in it is public.
 */
export function receiverLookup(
  allowsLoopback: boolean,
  resolver: Resolver = new Resolver(RESOLVER_LIMITS),
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

async function findAddresses(hostname: string, resolver: Resolver): Promise<LookupAddress[]> {
  // What this name means is no question for DNS (RFC 6761, section 6.3).
  if (LOOPBACK_NAME.test(hostname)) return [{ address: '127.0.0.1', family: 4 }];
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
  const listed = (outcome: PromiseSettledResult<string[]>, family: number) =>
    outcome.status === 'fulfilled' ? outcome.value.map((address) => ({ address, family })) : [];
  return [...listed(four, 4), ...listed(six, 6)];
}
