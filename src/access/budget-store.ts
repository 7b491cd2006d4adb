import { Injectable } from '@nestjs/common';
import { type BudgetCounts, longerPeriod } from './budget-window.js';
import { accountOf, type Caller, chargedKeyOf } from './caller.js';
import type { Period } from '../config/tiers.js';

/** Longer than any request takes. What a killed process has reserved is free again after that. */
export const RESERVATION_SECONDS = 60;

/** Records that are held for work under way. */
export interface Reservation extends Grant {
  readonly id: string;
  /** Ends it, and charges so many records instead. */
  settle(records: number): Promise<Grant>;
}

/** Where records are counted: exactly, over all instances. What it grants is never more than a window holds. */
export abstract class BudgetStore {
  /** Charges as many of these records as every window has left. @throws {DatabaseUnavailable} */
  abstract charge(caller: Caller, records: number): Promise<Grant>;

  /** Reserves as many of these records as every window has left. @throws {DatabaseUnavailable} */
  abstract reserve(caller: Caller, records: number, seconds?: number): Promise<Reservation>;

  /**
   * Charges a reservation bit by bit, from whichever process. Told twice, it charges once; one that has ended is charged nothing.
   *
   * @param total what is to be charged of it altogether by now
   * @param isLast whether the rest is given back
   * @throws {DatabaseUnavailable}
   */
  abstract draw(caller: Caller, reservation: string, total: number, isLast: boolean): Promise<Grant>;

  /** What is counted of a caller; counts nothing. @throws {DatabaseUnavailable} */
  abstract read(caller: Caller): Promise<BudgetCounts>;
}

/**
 * The time that budgets go by. Windows begin by the database's clock, which is the same for all instances; an instance's own
 * only tells how long ago the database spoke. Tests hand in another.
 */
@Injectable()
export class BudgetClock {
  /** The moment that a statement goes by; null: now, by the database. */
  readonly at: Date | null = null;

  /** Milliseconds since some moment. */
  elapsedMs(): number {
    return performance.now();
  }
}

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
