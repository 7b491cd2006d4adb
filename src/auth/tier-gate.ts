import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../errors/api-error.js';
import { TIER_TABLE } from '../tiers/tiers.module.js';
import type { TierTable } from '../tiers/tiers.js';
import type { Caller } from './caller.js';
import { challenge } from './challenge.js';
import type { TierRule } from './requirements.js';

/** Refuses what a caller's tier does not include, and says which tier does. */
@Injectable()
export class TierGate {
  constructor(@Inject(TIER_TABLE) private readonly tiers: TierTable) {}

  /**
   * @param what the rest of "The tier member does not include ...", such as "pages after the first"
   * @throws {ApiError} key_required (401) for a caller without a key, tier_required (403) for one whose tier is too small
   */
  assertIncluded(caller: Caller, rule: TierRule, what = 'this'): void {
    if (rule(caller.tier)) return;
    // The table's order is from the smallest to the largest.
    const enough = Object.values(this.tiers).find((tier) => rule(tier));
    const remedy = enough ? `The tier ${enough.name} does.` : 'No tier of this installation does.';
    const message = `The tier ${caller.tier.name} does not include ${what}. ${remedy}`;
    if (caller.key) throw new ApiError('tier_required', message);
    throw new ApiError('key_required', `${message} Send its key as "Authorization: Bearer KEY".`, {
      headers: challenge(),
    });
  }
}
