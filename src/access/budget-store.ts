import { Injectable } from '@nestjs/common';
import { type BudgetCounts, longerPeriod } from './budget-window.js';
import type { Caller } from './caller.js';
import type { Period } from '../config/tiers.js';

/** Holds of a killed process end after it; one of a longer answer is renewed. */
export const HOLD_SECONDS = 60;

/** Counts records exactly over all instances, and never grants more than a window has. */
export abstract class BudgetStore {
  /**
   * Charges the records sent, and holds as many of the wanted ones as every window has left. One row a caller and
   * period; calls of one holder must not overlap.
   *
   * @returns a grant for each settlement, in their order
   * @throws {DatabaseUnavailable} then it is unknown whether anything was charged
   */
  abstract settle(holder: Holder, settlements: readonly Settlement[]): Promise<Grant[]>;

  /** Reserves records for work that outlasts its request. @throws {DatabaseUnavailable} */
  abstract reserve(caller: Caller, records: number, seconds: number): Promise<Reservation>;

  /**
   * Charges part of a reservation, from any process. A repeated call charges nothing more, and neither does an ended
   * reservation.
   *
   * @param total records to be charged in all by now
   * @param kept records that the reservation keeps, including the charged ones; it ends when none are left
   * @throws {DatabaseUnavailable}
   */
  abstract draw(caller: Caller, reservation: string, total: number, kept: number): Promise<Grant>;

  /** A caller's counts; charges nothing. @throws {DatabaseUnavailable} */
  abstract read(caller: Caller): Promise<BudgetCounts>;
}

/** A process whose holds are counted together. */
export interface Holder {
  readonly id: string;
  /** Grows with each call, so that a statement that arrives late cannot undo a newer one. */
  readonly turn: number;
}

/** What one statement does to the row of a caller. */
export interface Settlement {
  /** Whose limits, account and key count. */
  readonly caller: Caller;
  /** Records sent since the last settlement. */
  readonly sent: number;
  /** When they were granted: they count in that minute and period, also if it has ended. Null if none were sent. */
  readonly grantedAt: Date | null;
  /** Records that the holder has in answers in progress. */
  readonly held: number;
  /** Records to be held in addition. */
  readonly wanted: number;
}

/** The records granted, and the counts after the grant. */
export interface Grant extends BudgetCounts {
  readonly granted: number;
}

/** Records reserved for work in progress. */
export interface Reservation extends Grant {
  readonly id: string;
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

/** The row of a caller: one for each longer period that its tiers have had. */
export function rowOf({ id, tier }: Caller): string {
  const period: Period = longerPeriod(tier).period;
  return `${id} ${period}`;
}

/** Whether the same limits hold for both, so that one statement can grant to both. */
export function haveSameLimits({ tier: one }: Caller, { tier: other }: Caller): boolean {
  return (
    one === other ||
    (one.recordsPerMinute === other.recordsPerMinute &&
      longerPeriod(one).records === longerPeriod(other).records)
  );
}

/** The grant of each, as if they had been asked for one after the other. */
export function shareOut(grant: Grant, wanted: readonly number[]): Grant[] {
  let rest = grant.granted;
  return wanted.map((records) => {
    const granted = Math.min(records, rest);
    rest -= granted;
    return { ...grant, granted, reserved: grant.reserved - rest };
  });
}
