import { accountOf, type Caller, chargedKeyOf } from '../../auth/caller.js';
import type { Period } from '../../tiers/tiers.js';
import { type BudgetCounts, longerPeriod } from './budget-window.js';

/** Records to be charged to a caller. */
export interface Charge {
  readonly caller: Caller;
  readonly records: number;
}

/** What a statement granted, and the counts after it. */
export interface Grant extends BudgetCounts {
  readonly granted: number;
}

/** The records of one charge, and its place among all. */
interface Part {
  readonly place: number;
  readonly records: number;
}

/** All that is to be charged to one row of the budgets. */
export interface RowCharge {
  readonly caller: string;
  /** Whose usage it is; null for those who are known by address. */
  readonly account: string | null;
  /** Null: asked on the pages, or by an app that is connected, whose tokens change every hour. */
  readonly key: string | null;
  readonly period: Period;
  readonly perMinute: number;
  readonly perPeriod: number;
  readonly parts: readonly Part[];
}

/**
 * Charges as they go into statements, each of which may touch a row once: those of one row are one, unless its limits have
 * changed in between, as they do with the caller's tier, or another key is charged; then the later ones are for the statement after.
 */
export function gatherCharges(charges: readonly Charge[]): RowCharge[][] {
  const statements: Map<string, RowCharge>[] = [];
  for (const [place, { caller, records }] of charges.entries()) {
    const { period, records: perPeriod } = longerPeriod(caller.tier);
    const perMinute = caller.tier.recordsPerMinute;
    const row = `${caller.id} ${period}`;
    const charged = { account: accountOf(caller), key: chargedKeyOf(caller) };
    const last = statements.findLastIndex((rows) => rows.has(row));
    const known = statements[last]?.get(row);
    const isSame = known?.perMinute === perMinute && known.perPeriod === perPeriod;
    if (known && isSame && known.key === charged.key)
      statements[last]?.set(row, { ...known, parts: [...known.parts, { place, records }] });
    else
      (statements[last + 1] ??= new Map<string, RowCharge>()).set(row, {
        ...{ caller: caller.id, ...charged, period, perMinute, perPeriod, parts: [{ place, records }] },
      });
  }
  return statements.map((rows) => [...rows.values()]);
}

/** What each charge would have been granted, and told, had they come one after the other; by place. */
export function shareOut(grant: Grant, parts: readonly Part[]): (readonly [place: number, grant: Grant])[] {
  let rest = grant.granted;
  return parts.map(({ place, records }) => {
    const granted = Math.min(records, rest);
    rest -= granted;
    const used = { minuteUsed: grant.minuteUsed - rest, periodUsed: grant.periodUsed - rest };
    return [place, { ...grant, granted, ...used }];
  });
}
