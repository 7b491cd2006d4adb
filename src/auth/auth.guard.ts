import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { ApiError } from '../errors/api-error.js';
import { DemoIdentifier } from './identify/demo-identifier.js';
import { Identifier } from './identify/identifier.js';
import type { Scope } from './keys/api-key.js';
import { REQUIREMENTS, type TierRule } from './requirements.js';
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
    const read = <Value>(name: string) =>
      this.reflector.getAllAndOverride<Value | undefined>(name, [context.getHandler(), context.getClass()]);
    const identifier = read<boolean>(REQUIREMENTS.public) ? this.demoIdentifier : this.identifier;
    const caller = await identifier.identify(request);
    request.caller = caller;

    const rule = read<TierRule>(REQUIREMENTS.tierRule);
    if (rule) this.gate.assertIncluded(caller, rule);
    if (read<boolean>(REQUIREMENTS.key)) this.gate.assertKey(caller);
    if (caller.key) assertScope(caller.key.scopes, read<Scope>(REQUIREMENTS.scope) ?? 'read');
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
