import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import type { DomainState } from '../domains/schema/states.js';
import { ApiError } from '../errors/api-error.js';
import { type Tier, type TierName, Tiers, type TierTable } from '../config/tiers.js';
import type { Caller } from './caller.js';
import { keyRequired } from './bearer.js';

/** Whether a row of the tier table includes something, such as `(tier) => tier.feed`. */
export type TierRule = (tier: Tier) => boolean;

const seesAllStates: TierRule = ({ fields }) => fields === 'full';

/** The tiers that see names in other states than on offer. */
export function tiersSeeing(table: TierTable): TierName[] {
  return Object.values(table)
    .filter(seesAllStates)
    .map(({ name }) => name);
}

// Without keys (AUTH=off) none is looked at, and to send one would be no help.
const DEMO_ONLY = 'This installation serves the demo tier only.';

/** Refuses what a caller's tier does not include, and says which tier does. */
@Injectable()
export class TierGate {
  constructor(
    private readonly config: Config,
    private readonly tiers: Tiers,
  ) {}

  /**
   * @param what the rest of "The tier member does not include ...", such as "pages after the first"
   * @throws {ApiError} key_required (401) for a caller without a key or a session, tier_required (403) for one whose
   * tier is too small
   */
  assertIncluded(caller: Caller, rule: TierRule, what = 'this'): void {
    if (rule(caller.tier)) return;
    const enough = Object.values(this.tiers.table).find((tier) => rule(tier));
    const remedy = enough ? `The tier ${enough.name} does.` : 'No tier of this installation does.';
    const message = `The tier ${caller.tier.name} does not include ${what}.`;
    if (caller.key ?? caller.accountId) throw new ApiError('tier_required', `${message} ${remedy}`);
    throw keyRequired(
      this.config.auth.enabled
        ? `${message} ${remedy} Send its key as "Authorization: Bearer KEY".`
        : `${message} ${DEMO_ONLY}`,
    );
  }

  /**
   * Names that are not on offer are for tiers with full fields.
   *
   * @throws {ApiError} as assertIncluded does
   */
  assertShown(caller: Caller, state: DomainState): void {
    if (state !== 'available') this.assertIncluded(caller, seesAllStates, `names in the state ${state}`);
  }

  /** @throws {ApiError} key_required for a caller without a key */
  assertKey({ key }: Caller): void {
    if (key) return;
    const remedy = this.config.auth.enabled
      ? 'Send it as "Authorization: Bearer KEY"; keys are made at /profile/api-keys.'
      : DEMO_ONLY;
    throw keyRequired(`This needs an API key. ${remedy}`);
  }
}
