import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/caller.js';
import { RecordBudget } from '../../access/record-budget.js';
import { toAllowance } from '../../access/tier.dto.js';
import type { Usage } from './usage.dto.js';

@Injectable()
export class UsageService {
  constructor(private readonly budget: RecordBudget) {}

  /** What the caller may still have, and what the tier includes; costs no record. */
  async readUsage(caller: Caller): Promise<Usage> {
    const { tier, key } = caller;
    return {
      ok: true,
      tier: tier.name,
      scopes: key?.scopes ?? [],
      includes: toAllowance(tier),
      ...(await this.budget.read(caller)),
    };
  }
}
