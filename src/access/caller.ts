import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import { createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import type { Express, Request } from 'express';
import type { ApiError } from '../errors/api-error.js';
import type { Actor } from '../observe/audit.repository.js';
import { timeOfDatabase } from '../db/database-time.js';
import type { Scope } from './api-key.js';
import type { Delivery } from './delivery.js';
import { type Tier, Tiers } from '../config/tiers.js';
import { networkAround, readAddress } from '../validation/networks.js';

/** The caller of a request: its tier, and the identity of its budgets. */
export interface Caller {
  readonly tier: Tier;
  /** `ip:203.0.113.7`, `ip:2001:db8:1:2::/64`, `account:<id>`; `account:<id>:test` for its test keys. */
  readonly id: string;
  /** The key of the request; absent without one. */
  readonly key?: CallerKey;
  /** The signed-in account; callers with a key have theirs in `key`. */
  readonly accountId?: string | null;
  /** The IP address, for callers with an account. */
  readonly address?: string | undefined;
  /** What a browser shows as proof of work, not yet judged; absent without it. */
  readonly pass?: string | undefined;
  /** What becomes of the answer, for which records are charged; absent where there is none. */
  readonly delivery?: Delivery;
}

/** A caller's key, without its text. */
interface CallerKey {
  readonly id: string;
  readonly accountId: string;
  readonly scopes: readonly Scope[];
  /** See KeyHolder. */
  readonly audience: readonly string[] | null;
}

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    interface Request {
      /** Set by the AuthGuard before any other guard runs. */
      caller: Caller;
      /** Set by the AuthGuard as well, if the key does not work. */
      keyProblem?: ApiError;
    }
  }
}

/** Injects the caller into a controller's method. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller => context.switchToHttp().getRequest<Request>().caller,
);

/** The account of a caller, by key or by session. */
export function accountOf({ key, accountId }: Caller): string | null {
  return key?.accountId ?? accountId ?? null;
}

/** The account of the caller of a route that needs one. */
export function ownerOf(caller: Caller): string {
  const accountId = accountOf(caller);
  if (accountId === null) throw new Error('the route is for callers with an account only');
  return accountId;
}

/** The caller as an actor of the audit log. */
export function actorOf(caller: Caller, accountId: string): Actor {
  return { accountId, address: caller.address, keyId: caller.key?.id ?? null };
}

/** The key that is charged; null for the pages and for connected apps, whose tokens change every hour. */
export function chargedKeyOf({ key }: Pick<Caller, 'key'>): string | null {
  return key && !key.audience ? key.id : null;
}

/** Identifies the caller of a request. */
export abstract class Identifier {
  /** @throws {ApiError} for a wrong key; never guesses an identity */
  abstract identify(request: Request): Promise<Caller>;

  /** The caller from this process's memory, without a query; an unknown key counts as the demo tier. */
  abstract recall(request: IncomingMessage, address: string | undefined): Pick<Caller, 'id' | 'key' | 'tier'>;
}

/** Demo mode: every caller is the demo tier, by address, and the Authorization header is ignored. */
@Injectable()
export class DemoIdentifier extends Identifier {
  constructor(private readonly tiers: Tiers) {
    super();
  }

  async identify(request: Request): Promise<Caller> {
    return this.recall(request, request.ip);
  }

  recall(_request: IncomingMessage, address: string | undefined): Pick<Caller, 'id' | 'key' | 'tier'> {
    return { tier: this.tiers.table.demo, id: callerIdOfAddress(address) };
  }
}

/** One identity for all keys of an account, so that a second key is no second budget. */
export function callerIdOfAccount(accountId: string): string {
  return `account:${accountId}`;
}

/** Whether the proxy at this address, this many hops away, is trusted to name the address before it. */
type Trust = (address: string | undefined, hop: number) => boolean;

/** TRUST_PROXY, as Express has compiled it. */
export function trustOf({ httpAdapter }: Pick<HttpAdapterHost, 'httpAdapter'>): Trust {
  return httpAdapter.getInstance<Express>().get('trust proxy fn') as Trust;
}

/** Express' `request.ip` for a request that it has not seen: the nearest address that is not a trusted proxy. */
export function addressBehindProxies(
  { socket, headers }: IncomingMessage,
  isTrusted: Trust,
): string | undefined {
  const forwarded = String(headers['x-forwarded-for'] ?? '');
  let address = socket.remoteAddress;
  let end = forwarded.length;
  for (let hop = 0; end > 0 && isTrusted(address, hop); hop += 1) {
    let before = '';
    while (before === '' && end > 0) {
      const comma = forwarded.lastIndexOf(',', end - 1);
      before = forwarded.slice(comma + 1, end).trim();
      end = comma;
    }
    if (before !== '') address = before;
  }
  return address;
}

const IPV6_PREFIX_BITS = 64;

/**
 * The identity of a caller without a key. An IPv6 customer usually has a whole /64, which counts as one caller; IPv4
 * written as IPv6 counts as IPv4.
 */
export function callerIdOfAddress(address: string | undefined): string {
  if (address !== undefined && isIPv4(address)) return `ip:${address}`;
  const parsed = readAddress(address);
  // A request whose socket has closed has no address; such requests share one budget.
  if (!parsed) return 'ip:unknown';
  return `ip:${parsed.kind() === 'ipv4' ? parsed.toString() : networkAround(parsed, IPV6_PREFIX_BITS)}`;
}

/** The address, or the network, in the identity of a caller without an account; null for one with an account. */
export function addressOfCaller(callerId: string): string | null {
  return /^ip:([^/]+)/.exec(callerId)?.[1] ?? null;
}

const DAY_MS = 86_400_000;

/**
 * A digest that replaces an address in the log. It is the same for a day on all instances with the same secret, so that
 * abuse can be followed, and changes daily, so that people cannot be tracked. It cannot be reversed without the secret.
 */
export class AddressDigest {
  private day = -1;
  private key = '';

  /** @param secret by default a random one of this process */
  constructor(private readonly secret: string = randomBytes(32).toString('hex')) {}

  /** @returns 16 hexadecimal characters */
  of(address: string | undefined, nowMs: number = timeOfDatabase().getTime()): string {
    const day = Math.floor(nowMs / DAY_MS);
    if (day !== this.day) {
      this.key = createHmac('sha256', this.secret).update(`addresses of day ${day}`).digest('hex');
      this.day = day;
    }
    return createHmac('sha256', this.key).update(callerIdOfAddress(address)).digest('hex').slice(0, 16);
  }
}
