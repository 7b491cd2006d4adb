import { Injectable, Logger } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { AccountAuditLog, AuditRepository, networkOf } from '../observe/audit.repository.js';
import { BoundedMap } from '../validation/caches.js';
import { networkAround, readAddress, readWrittenNetwork } from '../validation/networks.js';
import { messageOf } from '../validation/unknown-values.js';
import { ProcessTimers } from '../work/process-timers.js';
import type { KeyHolder } from './api-key.repository.js';

/** Networks of one key. */
export const MAX_KEY_NETWORKS = 10;

/** Addresses and CIDRs, as people write them in a field: with commas, spaces or line breaks between. */
export function readNetworks(text: string): string[] {
  return text.split(/[\s,]+/).filter((part) => part !== '');
}

/**
 * As PostgreSQL's `cidr` takes it: without bits behind the prefix; IPv4 written as IPv6 becomes IPv4.
 *
 * @returns null when it is no network
 */
export function networkIn(text: string): string | null {
  const written = readWrittenNetwork(text);
  if (!written) return null;
  const { address, bits } = written;
  const whole = address.kind() === 'ipv4' ? 32 : 128;
  const length = bits ?? whole;
  return length >= 1 && length <= whole ? networkAround(address, length) : null;
}

/** Whether a key may be used from the address; one without networks may be from anywhere. */
export function isWithin(text: string | undefined, networks: readonly string[]): boolean {
  if (networks.length === 0) return true;
  const from = readAddress(text);
  if (!from) return false;
  return networks.some((network) => {
    const [range, bits] = ipaddr.parseCIDR(network);
    return range.kind() === from.kind() && from.match(range, bits);
  });
}

/** A key that was used outside its networks, and refused. */
export interface RefusedUse {
  readonly accountId: string;
  readonly keyId: string;
  readonly address: string;
}

const WRITE_EVERY_MS = 5_000;
/** Keys and networks within five seconds; further ones are recorded at their next use. */
const MAX_REFUSED = 1_000;
const ACTION = 'key.elsewhere';
/** Entries in which a network is looked for, to warn of each once. */
const MAX_LOOKED_AT = 100;

/** Records refused uses in batches: an entry for each key, network and hour, and a warning for each new network. */
@Injectable()
export class KeyMisuse {
  private readonly logger = new Logger(KeyMisuse.name);
  private refused = new BoundedMap<string, RefusedUse>(MAX_REFUSED);
  private warn: ((use: RefusedUse, network: string) => Promise<void>) | undefined;

  constructor(
    private readonly log: AccountAuditLog,
    private readonly audit: AuditRepository,
    timers: ProcessTimers,
  ) {
    timers.every(WRITE_EVERY_MS, () => this.write());
  }

  /** @param warn tells the owner */
  warnWith(warn: (use: RefusedUse, network: string) => Promise<void>): void {
    this.warn = warn;
  }

  note({ accountId, keyId }: KeyHolder, address: string | undefined): void {
    const network = networkOf(address);
    if (address !== undefined && network !== null)
      this.refused.set(`${keyId} ${network}`, { accountId, keyId, address });
  }

  async write(): Promise<void> {
    const uses = [...this.refused.values()];
    this.refused = new BoundedMap(MAX_REFUSED);
    try {
      for (const use of uses) await this.record(use);
    } catch (error) {
      this.logger.error(`Refused uses of ${uses.length} keys were not recorded: ${messageOf(error)}`);
    }
  }

  private async record(use: RefusedUse): Promise<void> {
    const network = networkOf(use.address);
    const subject = `account:${use.accountId}`;
    const known = await this.audit.list({ action: ACTION, subject }, MAX_LOOKED_AT);
    await this.log.recordOnceAnHour(use, ACTION, 'refused');
    if (network !== null && !known.some(({ from }) => from === network)) await this.warn?.(use, network);
  }
}
