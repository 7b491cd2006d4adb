import { Injectable } from '@nestjs/common';
import { type BudgetCounts, longerPeriod } from './budget-window.js';
import { accountOf, type Caller, chargedKeyOf } from './caller.js';
import type { Period } from '../config/tiers.js';

/** Longer than any request takes. Reservations of a killed process end after it. */
export const RESERVATION_SECONDS = 60;

/** Records reserved for work in progress. */
export interface Reservation extends Grant {
  readonly id: string;
  /** Ends the reservation and charges `records` instead. */
  settle(records: number): Promise<Grant>;
}

/** Counts records exactly over all instances, and never grants more than a window has. */
export abstract class BudgetStore {
  /** Charges as many of these records as every window has left. @throws {DatabaseUnavailable} */
  abstract charge(caller: Caller, records: number): Promise<Grant>;

  /** Reserves as many of these records as every window has left. @throws {DatabaseUnavailable} */
  abstract reserve(caller: Caller, records: number, seconds?: number): Promise<Reservation>;

  /**
   * Charges part of a reservation, from any process. A repeated call charges nothing more, and neither does an ended
   * reservation.
   *
   * @param total records to be charged in all by now
   * @param isLast whether the rest is released
   * @throws {DatabaseUnavailable}
   */
  abstract draw(caller: Caller, reservation: string, total: number, isLast: boolean): Promise<Grant>;

  /** A caller's counts; charges nothing. @throws {DatabaseUnavailable} */
  abstract read(caller: Caller): Promise<BudgetCounts>;
}

/**
 * The clock of budgets. Windows follow the database's clock, which all instances share; an instance's own clock only
 * measures the time since the last answer. Tests assign another one.
 */
@Injectable()
export class BudgetClock {
  /** The current time for statements; null: the database's clock. */
  readonly at: Date | null = null;

  /** Milliseconds since an arbitrary moment. */
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

/** One charge, and its position in the batch. */
interface Part {
  readonly place: number;
  readonly records: number;
}

/** All charges to one row of record_budget. */
export interface RowCharge {
  readonly caller: string;
  /** The account whose usage is counted; null for callers by address. */
  readonly account: string | null;
  /** Null: by the pages, or by a connected app, whose tokens change every hour. */
  readonly key: string | null;
  readonly period: Period;
  readonly perMinute: number;
  readonly perPeriod: number;
  readonly parts: readonly Part[];
}

/**
 * Groups charges into statements; a statement may change a row only once. Charges of one row are merged, unless its
 * limits changed in between (with the caller's tier) or another key is charged; later ones then go into the next
 * statement.
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

/** The grant of each charge, as if they had been made one after the other. */
export function shareOut(grant: Grant, parts: readonly Part[]): (readonly [place: number, grant: Grant])[] {
  let rest = grant.granted;
  return parts.map(({ place, records }) => {
    const granted = Math.min(records, rest);
    rest -= granted;
    const used = { minuteUsed: grant.minuteUsed - rest, periodUsed: grant.periodUsed - rest };
    return [place, { ...grant, granted, ...used }];
  });
}
