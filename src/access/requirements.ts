import { applyDecorators, CanActivate, ExecutionContext, Injectable, UseFilters } from '@nestjs/common';
import { type ReflectableDecorator, Reflector } from '@nestjs/core';
import { ApiSecurity } from '@nestjs/swagger';
import type { Request } from 'express';
import { Config } from '../config/config.js';
import { ApiError } from '../errors/api-error.js';
import type { Scope } from './api-key.js';
import { keyInvalid, ResourceChallengeFilter, scopeRequired, TOKEN_RESOURCE } from './bearer.js';
import { type Caller, DemoIdentifier, Identifier } from './caller.js';
import { TierGate, type TierRule } from './tier-gate.js';

/** What the guards read from a method, or else from its class. */
export const REQUIREMENTS = {
  key: Reflector.createDecorator<true>(),
  tierRule: Reflector.createDecorator<TierRule>(),
  scope: Reflector.createDecorator<Scope | 'any'>(),
  ignoresKeys: Reflector.createDecorator<true>(),
  takesAccessTokens: Reflector.createDecorator<true>(),
} as const;

/** Reads what the method that is called requires, or else its class. */
export function requirementsOf(
  reflector: Reflector,
  context: ExecutionContext,
): <Value>(requirement: ReflectableDecorator<Value>) => Value | undefined {
  return (requirement) =>
    reflector.getAllAndOverride(requirement, [context.getHandler(), context.getClass()]);
}

/** Name of the security scheme in the OpenAPI documents. */
export const KEY_SCHEME = 'apiKey';

/**
 * For tiers whose row includes it, such as `@RequiresTier((tier) => tier.feed)`. Callers without a key are answered 401
 * `key_required`, others 403 `tier_required`; both texts name the tier that would do. Where it depends on a parameter
 * (a second page), the service asks `TierGate.assertIncluded`. The documents say that it takes a key.
 */
export function RequiresTier(rule: TierRule): MethodDecorator & ClassDecorator {
  return applyDecorators(REQUIREMENTS.tierRule(rule), ApiSecurity(KEY_SCHEME));
}

/**
 * For keys with this scope, or any, instead of `read`, which every other address asks of a key. Others are answered 403
 * `scope_required`, and those without a key 401 `key_required`.
 */
export function RequiresScope(scope: Scope | 'any'): MethodDecorator & ClassDecorator {
  return applyDecorators(REQUIREMENTS.key(true), REQUIREMENTS.scope(scope), ApiSecurity(KEY_SCHEME, [scope]));
}

/** Pages and probes: everybody is known by address, and no key is looked at. */
export function IgnoresKeys(): MethodDecorator & ClassDecorator {
  return REQUIREMENTS.ignoresKeys(true);
}

/**
 * For what apps that an account has connected may use: their access tokens are taken beside keys, and a 401 tells where those are
 * to be had (RFC 9728). Everywhere else a token is no key.
 */
export function TakesAccessTokens(): MethodDecorator & ClassDecorator {
  return applyDecorators(REQUIREMENTS.takesAccessTokens(true), UseFilters(ResourceChallengeFilter));
}

/** Says whether this address is for who asks. */
@Injectable()
export class RequirementsGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly gate: TierGate,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const { caller, keyProblem } = context.switchToHttp().getRequest<Request>();
    if (keyProblem) throw keyProblem;
    const read = requirementsOf(this.reflector, context);
    const rule = read(REQUIREMENTS.tierRule);
    if (rule) this.gate.assertIncluded(caller, rule);
    if (read(REQUIREMENTS.key)) this.gate.assertKey(caller);
    const scope = read(REQUIREMENTS.scope) ?? 'read';
    if (caller.key && scope !== 'any') assertScope(caller.key.scopes, scope);
    return true;
  }
}

/** @throws {ApiError} scope_required */
export function assertScope(scopes: readonly Scope[], scope: Scope): void {
  if (scopes.includes(scope)) return;
  throw scopeRequired(scope, scopes);
}

/**
 * Says who asks. Whoever shows a key that does not work is known by address, and refused by the RequirementsGuard: the flood
 * limit comes in between, so that it counts what is refused as well.
 */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly identifier: Identifier,
    private readonly demoIdentifier: DemoIdentifier,
    private readonly config: Config,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const read = requirementsOf(this.reflector, context);
    const identifier = read(REQUIREMENTS.ignoresKeys) ? this.demoIdentifier : this.identifier;
    try {
      request.caller = await identifier.identify(request);
      this.assertAudience(request.caller, read(REQUIREMENTS.takesAccessTokens) ?? false);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'key_invalid') throw error;
      request.caller = await this.demoIdentifier.identify(request);
      request.keyProblem = error;
    }
    return true;
  }

  // A token that was given to an app for one address is nothing at another one, or after this one has moved.
  private assertAudience({ key }: Caller, takesAccessTokens: boolean): void {
    if (!key?.audience) return;
    const resource = `${this.config.links.baseUrl}/${TOKEN_RESOURCE}`;
    if (!takesAccessTokens || !key.audience.includes(resource)) throw keyInvalid();
  }
}

/** Marks what is paid for in records: a caller who has none left is refused by the guard, before any work. */
export const CostsRecords = Reflector.createDecorator<true>({ transform: () => true });
