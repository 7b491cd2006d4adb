import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Tiers } from '../../tiers/tiers.js';
import { type Caller, callerIdOfAddress } from '../caller.js';
import { Identifier } from './identifier.js';

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
