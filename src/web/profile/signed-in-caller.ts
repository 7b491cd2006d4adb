import type { Account } from '../../accounts/accounts.service.js';
import { type Caller, callerIdOfAccount } from '../../access/caller.js';
import type { TierTable } from '../../config/tiers.js';

/** Who is signed in, as services know callers. */
export function callerOf(
  { id, tier, address }: Account,
  table: TierTable,
): Caller & { readonly accountId: string } {
  return { id: callerIdOfAccount(id), tier: table[tier], accountId: id, address };
}
