import { applyDecorators, CanActivate, ExecutionContext, Injectable, UseFilters } from '@nestjs/common';
import { type ReflectableDecorator, Reflector } from '@nestjs/core';
import { ApiSecurity } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Config } from '../config/config.js';
import { ApiError } from '../errors/api-error.js';
import { HeadOnly } from '../errors/api-error.filter.js';
import type { Scope } from './api-key.js';
import { keyInvalid, ResourceChallengeFilter, scopeRequired, TOKEN_RESOURCES } from './bearer.js';
import { type Caller, DemoIdentifier, Identifier } from './caller.js';
import { Delivery } from './delivery.js';
import { TierGate, type TierRule } from './tier-gate.js';

/** The metadata of a method, or else of its class, that the guards read. */
export const REQUIREMENTS = {
  key: Reflector.createDecorator<true>(),
  tierRule: Reflector.createDecorator<TierRule>(),
  scope: Reflector.createDecorator<Scope | 'any'>(),
  ignoresKeys: Reflector.createDecorator<true>(),
  takesAccessTokens: Reflector.createDecorator<true>(),
} as const;

/** Reads the metadata of the called method, or else of its class. */
export function requirementsOf(
  reflector: Reflector,
  context: ExecutionContext,
): <Value>(requirement: ReflectableDecorator<Value>) => Value | undefined {
  return (requirement) =>
    reflector.getAllAndOverride(requirement, [context.getHandler(), context.getClass()]);
}

/** The name of the security scheme in the OpenAPI documents. */
export const KEY_SCHEME = 'apiKey';

/**
 * For tiers that include a feature, such as `@RequiresTier((tier) => tier.feed)`. Callers without a key get 401
 * `key_required`, others 403 `tier_required`; both texts name the lowest tier with the feature. If a parameter decides
 * (a second page), the service calls `TierGate.assertIncluded`. The OpenAPI documents show the key.
 */
export function RequiresTier(rule: TierRule): MethodDecorator & ClassDecorator {
  return applyDecorators(REQUIREMENTS.tierRule(rule), ApiSecurity(KEY_SCHEME));
}

/**
 * For keys with this scope, or with any; other routes need `read`. Other keys get 403 `scope_required`, and callers
 * without a key 401 `key_required`.
 */
export function RequiresScope(scope: Scope | 'any'): MethodDecorator & ClassDecorator {
  return applyDecorators(REQUIREMENTS.key(true), REQUIREMENTS.scope(scope), ApiSecurity(KEY_SCHEME, [scope]));
}

/** For pages and probes: callers are identified by address, and keys are ignored. */
export function IgnoresKeys(): MethodDecorator & ClassDecorator {
  return REQUIREMENTS.ignoresKeys(true);
}

/**
 * Accepts access tokens of connected apps beside keys; a 401 names the authorization server (RFC 9728). Other routes
 * refuse such tokens.
 */
export function TakesAccessTokens(): MethodDecorator & ClassDecorator {
  return applyDecorators(REQUIREMENTS.takesAccessTokens(true), UseFilters(ResourceChallengeFilter));
}

/** Checks the key, scope and tier that a route requires. */
@Injectable()
export class RequirementsGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly gate: TierGate,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const { caller, keyProblem, method } = context.switchToHttp().getRequest<Request>();
    if (keyProblem) throw keyProblem;
    const read = requirementsOf(this.reflector, context);
    const rule = read(REQUIREMENTS.tierRule);
    if (rule) this.gate.assertIncluded(caller, rule);
    if (read(REQUIREMENTS.key)) this.gate.assertKey(caller);
    const scope = read(REQUIREMENTS.scope) ?? 'read';
    if (caller.key && scope !== 'any') assertScope(caller.key.scopes, scope);
    // HEAD costs nothing, so nothing is read: status and length would reveal the answer.
    if (method === 'HEAD' && read(CostsRecords)) throw new HeadOnly();
    return true;
  }
}

/** @throws {ApiError} scope_required */
export function assertScope(scopes: readonly Scope[], scope: Scope): void {
  if (scopes.includes(scope)) return;
  throw scopeRequired(scope, scopes);
}

/**
 * Identifies the caller. One with a wrong key is identified by address and refused by the RequirementsGuard; the flood
 * limit comes in between, so that it counts refused requests as well.
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
      request.caller = await this.identify(identifier, context);
      this.assertAudience(request.caller, read(REQUIREMENTS.takesAccessTokens) ?? false);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'key_invalid') throw error;
      request.caller = await this.identify(this.demoIdentifier, context);
      request.keyProblem = error;
    }
    return true;
  }

  private async identify(identifier: Identifier, context: ExecutionContext): Promise<Caller> {
    const http = context.switchToHttp();
    const caller = await identifier.identify(http.getRequest<Request>());
    return { ...caller, delivery: new Delivery(http.getResponse<Response>()) };
  }

  // A token is valid only for the resource it was issued for, also after the service has moved.
  private assertAudience({ key }: Caller, takesAccessTokens: boolean): void {
    if (!key?.audience) return;
    const { baseUrl } = this.config.links;
    const isForUs = TOKEN_RESOURCES.some((path) => key.audience?.includes(`${baseUrl}/${path}`));
    if (!takesAccessTokens || !isForUs) throw keyInvalid();
  }
}

/** Marks routes that cost records: the guard refuses a caller without any before the work starts. */
export const CostsRecords = Reflector.createDecorator<true>({ transform: () => true });
