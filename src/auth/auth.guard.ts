import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { ApiError } from '../errors/api-error.js';
import { DemoIdentifier, Identifier } from './caller.js';
import { REQUIREMENTS, requirementsOf } from './requirements.js';

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
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const ignoresKeys = requirementsOf(this.reflector, context)(REQUIREMENTS.ignoresKeys);
    try {
      request.caller = await (ignoresKeys ? this.demoIdentifier : this.identifier).identify(request);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'key_invalid') throw error;
      request.caller = await this.demoIdentifier.identify(request);
      request.keyProblem = error;
    }
    return true;
  }
}
