import { Injectable, Logger } from '@nestjs/common';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { Config } from '../config/config.js';
import type { Tier } from '../config/tiers.js';
import { ApiError } from '../errors/api-error.js';
import { SharedCounters } from '../redis/redis.module.js';
import { networkAround, readAddress } from '../validation/networks.js';
import { addressOfCaller } from './caller.js';
import { LIMITS, type LimitsOf, PREFIXES, type Share, timesOf } from './limits.js';
import { NetworkRules } from './network-rules.js';

/** A network that counts as one, with its share of what one address may. */
export interface Network {
  /** Such as `2001:db8::/48`. */
  readonly name: string;
  readonly share: Share;
}

/** The networks of an address, which may have a port, the narrowest first; none for text that is no address. */
export function networksOf(text: string): Network[] {
  const address = readAddress(text);
  if (!address) return [];
  return PREFIXES[address.kind()].map(([bits, share]) => ({ name: networkAround(address, bits), share }));
}

/** Networks with several callers. */
export function widerNetworksOf(address: string): Network[] {
  return networksOf(address).filter(({ share }) => share > 1);
}

export type NetworkLimit = LimitsOf<'shares'>;

/** Of its share, what a network may take before pages want proof of work for the rest. */
const FREE_PART = 1 / 2;

/** What a caller took from the networks around it. */
export interface Taken {
  readonly granted: number;
  /** A network that has had FREE_PART of its share; null where none has. */
  readonly busy: string | null;
  /** Gives unused records back. @param of to this limit alone; by default to all limits of the caller */
  giveBack(unused: number, of?: NetworkLimit): Promise<void>;
}

/** The count of it in one network. */
interface Part {
  readonly counter: RateLimiterAbstract;
  readonly name: string;
  /** The end of the window in which it was counted, by performance.now(). */
  readonly endsMs: number;
}

/** The next window has not counted it, and takes nothing back. */
async function giveBack(parts: readonly Part[], unused: number): Promise<void> {
  if (unused === 0) return;
  for (const { counter, name, endsMs } of parts)
    if (performance.now() < endsMs) await counter.reward(name, unused);
}

/**
 * Counts callers without an account by the networks around them: one network can have 65,536 addresses that each have
 * a budget. Accounts count by themselves, so that an office works.
 */
@Injectable()
export class NetworkShares {
  private readonly logger = new Logger('Networks');
  /** One for each kind and share: many narrow networks must not push out the wide ones. */
  private readonly counters = new Map<string, RateLimiterAbstract>();
  private readonly mode: Config['networks']['mode'];

  constructor(
    { networks }: Config,
    private readonly shared: SharedCounters,
    private readonly rules: NetworkRules,
  ) {
    this.mode = networks.mode;
  }

  /**
   * Takes up to `wanted` from the shares of the networks around a caller without an account.
   *
   * @param each what one address may in the window, so that one call takes no more
   * @throws {ApiError} too_many_requests with Retry-After, if none was left
   */
  async take(kind: NetworkLimit, callerId: string, wanted: number, each: number): Promise<Taken> {
    const most = Math.min(wanted, each);
    const parts: Part[] = [];
    let granted = most;
    let busy: string | null = null;
    for (const { name, share } of this.networksOf(callerId)) {
      const counter = this.counterOf(kind, share);
      const { consumedPoints, msBeforeNext } = await counter.penalty(name, most);
      parts.push({ counter, name, endsMs: performance.now() + msBeforeNext });
      const before = consumedPoints - most;
      const whole = timesOf(kind, share) * each;
      const left = Math.max(0, whole - before);
      if (before >= whole * FREE_PART) busy ??= name;
      if (left === 0 && most > 0) {
        await giveBack(parts, most);
        this.refuse(kind, name, whole, msBeforeNext);
        return { granted: most, busy, giveBack: () => Promise.resolve() };
      }
      if (this.mode === 'on') granted = Math.min(granted, left);
    }
    await giveBack(parts, most - granted);
    return { granted, busy, giveBack: (unused, of = kind) => giveBack(of === kind ? parts : [], unused) };
  }

  /**
   * Takes the same from several limits: as much as the tightest of them grants.
   *
   * @throws {ApiError} too_many_requests with Retry-After, if one of them had nothing left
   */
  async takeAll(
    kinds: readonly NetworkLimit[],
    callerId: string,
    wanted: number,
    tier: Pick<Tier, (typeof LIMITS)[NetworkLimit]['most']>,
  ): Promise<Taken> {
    let all: Taken = { granted: wanted, busy: null, giveBack: () => Promise.resolve() };
    for (const kind of kinds) {
      const { granted: before, busy, giveBack: giveBackBefore } = all;
      try {
        const taken = await this.take(kind, callerId, before, tier[LIMITS[kind].most]);
        await giveBackBefore(before - taken.granted);
        all = {
          granted: taken.granted,
          busy: busy ?? taken.busy,
          giveBack: async (unused, of) => {
            await giveBackBefore(unused, of);
            await taken.giveBack(unused, of);
          },
        };
      } catch (error) {
        await giveBackBefore(before);
        throw error;
      }
    }
    return all;
  }

  private networksOf(callerId: string): Network[] {
    const address = this.mode === 'off' ? null : addressOfCaller(callerId);
    return address === null || this.rules.allows(address) ? [] : widerNetworksOf(address);
  }

  private counterOf(kind: NetworkLimit, share: Share): RateLimiterAbstract {
    const keyPrefix = `network_${kind}_${share}`;
    const known = this.counters.get(keyPrefix);
    if (known) return known;
    const counter = this.shared.tally(keyPrefix, LIMITS[kind].seconds);
    this.counters.set(keyPrefix, counter);
    return counter;
  }

  private refuse(kind: NetworkLimit, network: string, limit: number, waitMs: number): void {
    const { what, seconds } = LIMITS[kind];
    const message = `The network ${network} has had its ${limit} ${what} in ${seconds} s`;
    if (this.mode === 'observe') {
      this.logger.warn(`${message}; with NETWORK_LIMITS=on this request would be refused`);
      return;
    }
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
    throw new ApiError(
      'too_many_requests',
      `${message}; try again in ${retryAfterSeconds} s, or sign in: accounts count by themselves.`,
      { retryAfterSeconds },
    );
  }
}

/** A socket of a connection. */
interface Arriving {
  readonly remoteAddress?: string | undefined;
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
}

/** Open connections of a network. */
interface Open {
  count: number;
  /** Those kept alive without a request in work, the longest idle first. */
  readonly idle: Set<Arriving>;
}

interface Admitted {
  readonly networks: readonly Network[];
  requests: number;
}

/** Limits the open connections of each network, so that a few addresses cannot occupy all. */
export class ConnectionShares {
  private readonly open = new Map<string, Open>();
  private readonly admitted = new WeakMap<Arriving, Admitted>();

  constructor(
    private readonly mode: Config['networks']['mode'],
    /** Such as a trusted proxy, which has the connections of many callers. */
    private readonly isExcepted: (address: string) => boolean,
    private readonly each: number = LIMITS.connections.most,
    private readonly logger = new Logger('Networks'),
  ) {}

  /**
   * Counts a new connection until it closes. In a network that is full it takes the place of an idle one, as many
   * people may be behind one address.
   *
   * @returns false if it has to be closed
   */
  admit(socket: Arriving): boolean {
    const { remoteAddress: address } = socket;
    if (this.mode === 'off' || address === undefined || this.isExcepted(address)) return true;
    const networks = networksOf(address);
    const most = ({ share }: Network) => timesOf('connections', share) * this.each;
    const full = networks.find((network) => (this.open.get(network.name)?.count ?? 0) >= most(network));
    if (full && this.mode === 'on') {
      const [idle] = this.open.get(full.name)?.idle ?? [];
      if (!idle) return false;
      this.leave(idle);
      idle.destroy();
    } else if (full)
      this.logger.warn(
        `${full.name} has ${most(full)} connections; with NETWORK_LIMITS=on one more would be closed`,
      );
    for (const { name } of networks) {
      const open = this.open.get(name);
      if (open) open.count += 1;
      else this.open.set(name, { count: 1, idle: new Set() });
    }
    this.admitted.set(socket, { networks, requests: 0 });
    socket.once('close', () => this.leave(socket));
    return true;
  }

  /** A request has arrived on the connection. */
  begin(socket: Arriving): void {
    const admitted = this.admitted.get(socket);
    if (!admitted) return;
    admitted.requests += 1;
    for (const { name } of admitted.networks) this.open.get(name)?.idle.delete(socket);
  }

  /** A request of the connection was answered. */
  end(socket: Arriving): void {
    const admitted = this.admitted.get(socket);
    if (!admitted) return;
    admitted.requests -= 1;
    if (admitted.requests > 0 || socket.destroyed) return;
    for (const { name } of admitted.networks) this.open.get(name)?.idle.add(socket);
  }

  private leave(socket: Arriving): void {
    const { networks = [] } = this.admitted.get(socket) ?? {};
    this.admitted.delete(socket);
    for (const { name } of networks) {
      const open = this.open.get(name);
      if (!open) continue;
      open.count -= 1;
      open.idle.delete(socket);
      if (open.count === 0) this.open.delete(name);
    }
  }
}
