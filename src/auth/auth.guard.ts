import { CanActivate, ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { TIER_TABLE } from '../tiers/tiers.module.js';
import type { TierTable } from '../tiers/tiers.js';
import { callerIdOfAddress } from './caller.js';

/** Says who asks. Demo mode: everybody is the demo tier, known by address, and the Authorization header is ignored. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(@Inject(TIER_TABLE) private readonly tiers: TierTable) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    request.caller = { tier: this.tiers.demo, id: callerIdOfAddress(request.ip) };
    return true;
  }
}
