import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { type ReflectableDecorator, Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { ApiError } from '../errors/api-error.js';
import { DemoIdentifier } from './identify/demo-identifier.js';
import { Identifier } from './identify/identifier.js';
import type { Scope } from './keys/api-key.js';
import { REQUIREMENTS } from './requirements.js';
import { TierGate } from './tier-gate.js';

/** Says who asks, then whether this address is for them: see requirements.ts for what an address can require. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly identifier: Identifier,
    private readonly demoIdentifier: DemoIdentifier,
    private readonly gate: TierGate,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const read = <Value>(requirement: ReflectableDecorator<Value>): Value | undefined =>
      this.reflector.getAllAndOverride(requirement, [context.getHandler(), context.getClass()]);
    const identifier = read(REQUIREMENTS.ignoresKeys) ? this.demoIdentifier : this.identifier;
    const caller = await identifier.identify(request);
    request.caller = caller;

    const rule = read(REQUIREMENTS.tierRule);
    if (rule) this.gate.assertIncluded(caller, rule);
    if (read(REQUIREMENTS.key)) this.gate.assertKey(caller);
    if (caller.key) assertScope(caller.key.scopes, read(REQUIREMENTS.scope) ?? 'read');
    return true;
  }
}

function assertScope(scopes: readonly Scope[], scope: Scope): void {
  if (scopes.includes(scope)) return;
  throw new ApiError(
    'scope_required',
    `This needs a key with the scope ${scope}; this one has ${scopes.join(', ')}.`,
  );
}
