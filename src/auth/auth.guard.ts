import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { Config } from '../config/config.js';
import { ApiError } from '../errors/api-error.js';
import { type Caller, DemoIdentifier, Identifier } from './caller.js';
import { keyInvalid } from './keys/bearer.js';
import { REQUIREMENTS, requirementsOf } from './requirements.js';
import { TOKEN_RESOURCE } from './resource-challenge.filter.js';

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
