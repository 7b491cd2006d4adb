import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { ApiError } from '../errors/api-error.js';
import type { Scope } from './keys/api-key.js';
import { REQUIREMENTS, requirementsOf } from './requirements.js';
import { TierGate } from './tier-gate.js';

/** Says whether this address is for who asks: see requirements.ts for what an address can require. */
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

function assertScope(scopes: readonly Scope[], scope: Scope): void {
  if (scopes.includes(scope)) return;
  throw new ApiError(
    'scope_required',
    `This needs a key with the scope ${scope}; this one has ${scopes.join(', ')}.`,
  );
}
