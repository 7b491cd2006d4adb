import { createHmac, randomBytes } from 'node:crypto';
import { createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import type { ApiError } from '../errors/api-error.js';
import type { Actor } from '../observe/audit/account-audit-log.js';
import type { Scope } from './api-key.js';
import { type Tier, Tiers } from '../config/tiers.js';

/** Who asks: the tier that decides what they get, and the identity that budgets are counted for. */
export interface Caller {
  readonly tier: Tier;
  /** `ip:203.0.113.7`, `ip:2001:db8:1:2::/64`, `account:<id>`; `account:<id>:test` for its test keys. */
  readonly id: string;
  /** The key that was shown; absent for those who came without. */
  readonly key?: CallerKey;
  /** The account of who is signed in on the pages; those with a key have it there. */
  readonly accountId?: string | null;
  /** Where the request came from, of callers with an account. */
  readonly address?: string | undefined;
}

/** What the rest of the service may know of a caller's key; never its text. */
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
      /** Set by it as well, where the key that was shown does not work. */
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

/** Who it is as the audit log has it. */
export function actorOf(caller: Caller, accountId: string): Actor {
  return { accountId, address: caller.address, keyId: caller.key?.id ?? null };
}

/** The key that is charged; null on the pages, and for an app that is connected, whose tokens change every hour. */
export function chargedKeyOf({ key }: Caller): string | null {
  return key && !key.audience ? key.id : null;
}

/** Says who sends a request. */
export abstract class Identifier {
  /** @throws {ApiError} when what the request shows is no good; never an identity by guess */
  abstract identify(request: Request): Promise<Caller>;
}

/** Demo mode: everybody is the demo tier, known by address, and the Authorization header is ignored. */
@Injectable()
export class DemoIdentifier extends Identifier {
  constructor(private readonly tiers: Tiers) {
    super();
  }

  async identify(request: Request): Promise<Caller> {
    return { tier: this.tiers.table.demo, id: callerIdOfAddress(request.ip) };
  }
}

/** The identity of everybody with a key of the account: a second key, or the next one after a rotation, is no second budget. */
export function callerIdOfAccount(accountId: string): string {
  return `account:${accountId}`;
}

const IPV6_PREFIX_BITS = 64;

/**
 * The identity of a caller without a key. An IPv6 customer usually holds a whole /64, so that is what counts as one
 * caller; IPv4 written as IPv6 counts as IPv4.
 */
export function callerIdOfAddress(address: string | undefined): string {
  const bare = withoutPort(address);
  // A request whose socket is already gone has no address; all such share one budget.
  if (bare === undefined || !ipaddr.isValid(bare)) return 'ip:unknown';
  const parsed = ipaddr.process(bare);
  if (parsed.kind() === 'ipv4') return `ip:${parsed.toString()}`;
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/${IPV6_PREFIX_BITS}`);
  return `ip:${network.toRFC5952String()}/${IPV6_PREFIX_BITS}`;
}

// Some proxies append a port to an address of X-Forwarded-For, and put IPv6 into brackets.
const WITH_PORT = /^(?:\[([\w:.%-]{2,64})\](?::\d{1,5})?|([\d.]{7,15}):\d{1,5})$/;

function withoutPort(address: string | undefined): string | undefined {
  const [, ipv6, ipv4] = WITH_PORT.exec(address ?? '') ?? [];
  return ipv6 ?? ipv4 ?? address;
}

const DAY_MS = 86_400_000;

/**
 * What stands for an address in the log: the same all day and on all instances that share the secret, so that abuse can be followed;
 * another the next day, so that nobody can be tracked; and to be undone by no one who has not the secret.
 */
export class AddressDigest {
  private day = -1;
  private key = '';

  /** @param secret empty: one of the process's own */
  constructor(private readonly secret: string = randomBytes(32).toString('hex')) {}

  /** @returns 16 hexadecimal characters */
  of(address: string | undefined, nowMs: number = Date.now()): string {
    const day = Math.floor(nowMs / DAY_MS);
    if (day !== this.day) {
      this.key = createHmac('sha256', this.secret).update(`addresses of day ${day}`).digest('hex');
      this.day = day;
    }
    return createHmac('sha256', this.key).update(callerIdOfAddress(address)).digest('hex').slice(0, 16);
  }
}
