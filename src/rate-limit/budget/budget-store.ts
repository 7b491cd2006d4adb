import type { Caller } from '../../auth/caller.js';
import type { BudgetCounts } from './budget-window.js';
import type { Grant } from './charges.js';

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
