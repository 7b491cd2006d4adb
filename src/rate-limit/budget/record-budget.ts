import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller.js';
import { ApiError } from '../../errors/api-error.js';
import { BudgetCounters, type Count } from './budget-counters.js';
import { type BudgetWindow, resetInSeconds, windowsAt } from './budget-window.js';
import { MeteredError } from './metered-error.js';
import { type Metered, Quota, Rate } from '../rate.dto.js';

/** What came of work that was paid for, and what is left. */
export type Spent<Result> = Metered & { readonly result: Result };

/** Work done on reserved records; `used` of them are kept, the rest goes back. */
export type MeteredWork<Result> = (granted: number) => Promise<{ used: number; result: Result }>;

interface Reservation {
  readonly window: BudgetWindow;
  granted: number;
  /** What the window counts, this reservation included. */
  count: Count;
  /** Nothing was free, and not only because others held it. */
  isSpent: boolean;
}

const HELD_RETRY_SECONDS = 1;

/**
 * The one record budget, shared by every route, door and instance. Records are reserved before the work and what the
 * work did not use goes back, so that failed work costs nothing.
 */
@Injectable()
export class RecordBudget {
  /** By a window's key, the records that requests under way in this process hold. */
  private readonly held = new Map<string, number>();

  constructor(private readonly counters: BudgetCounters) {}

  /**
   * Reserves up to `wanted` records, does the work with what was granted, and gives back what it did not use.
   *
   * @throws {MeteredError} budget_exhausted with Retry-After when nothing is left; the work is not begun then
   */
  async spend<Result>(caller: Caller, wanted: number, work: MeteredWork<Result>): Promise<Spent<Result>> {
    const reservations: Reservation[] = [];
    try {
      const granted = await this.reserve(caller, wanted, reservations);
      if (granted === 0) throw await this.exhausted(caller, reservations);
      return await this.spendReserved(caller, reservations, granted, work);
    } finally {
      for (const { window, granted } of reservations) this.hold(window, -granted);
    }
  }

  /** What is left of every budget of the caller; costs nothing. @throws {DatabaseUnavailable} */
  async read(caller: Caller): Promise<Metered> {
    return leftOf(await this.countIn(windowsAt(caller.tier, caller.id, new Date())));
  }

  private async spendReserved<Result>(
    caller: Caller,
    reservations: Reservation[],
    granted: number,
    work: MeteredWork<Result>,
  ): Promise<Spent<Result>> {
    try {
      const { used, result } = await work(granted);
      await this.keep(reservations, used);
      return { result, ...(await this.leftAfter(caller, reservations)) };
    } catch (error) {
      await this.keep(reservations, 0);
      // A metered answer always says what is left, a failure too; but not while memory counts, which has not seen all.
      throw error instanceof ApiError
        ? new MeteredError(error, caller.tier, await this.leftAfter(caller, reservations))
        : error;
    }
  }

  // Work that outlasts the minute it was paid in has the caller in another one by now.
  private async leftAfter(caller: Caller, reservations: Reservation[]): Promise<Metered> {
    const paidIn = leftOf(reservations.map(toCounted));
    const isOver = reservations.some(({ window }) => window.endsAt.getTime() <= Date.now());
    // Work that is done is not lost because the count cannot be read.
    return isOver ? this.read(caller).catch(() => paidIn) : paidIn;
  }

  // Adding first and looking at the sum afterwards is what makes it exact under parallel requests: every request sees
  // a different sum, so no two are granted the same record, on whichever instance they run.
  private async reserve(caller: Caller, wanted: number, reservations: Reservation[]): Promise<number> {
    let granted = wanted;
    let isGone = false;
    for (const window of windowsAt(caller.tier, caller.id, new Date())) {
      const before = this.heldIn(window);
      this.hold(window, granted);
      const count: Count = await this.counters.take(window, granted, isGone).catch(async (error: unknown) => {
        this.hold(window, -granted);
        await this.keep(reservations, 0);
        throw error;
      });
      isGone = count.by === 'memory';
      // Others come and go while the count is on its way: whoever was there before or is there after may be in it.
      const byOthers = Math.max(before, this.heldIn(window) - granted);
      const free = window.limit - (count.consumed - granted);
      reservations.push({ window, granted, count, isSpent: free + byOthers <= 0 });
      granted = Math.min(granted, Math.max(0, free));
      if (granted === 0) break;
    }
    // What a tighter window refused is given back to all, which also undoes what went over the limit.
    await this.keep(reservations, granted);
    return granted;
  }

  private async exhausted(caller: Caller, reservations: Reservation[]): Promise<ApiError> {
    // A reservation ends at the first window that has nothing left, and a longer one may be spent as well: a caller who
    // is told of the minute alone would come back a minute later for nothing.
    const rest = windowsAt(caller.tier, caller.id, new Date()).slice(reservations.length);
    const others = await this.countIn(rest);
    // What parallel requests hold mostly goes back. Of the windows that are spent without it, the one that ends last.
    const spent =
      others.findLast(({ window, consumed }) => consumed - this.heldIn(window) >= window.limit) ??
      reservations.findLast(({ isSpent }) => isSpent);
    return refusal(caller, [...reservations.map(toCounted), ...others], spent?.window);
  }

  /** Gives back what is held beyond this many records of each window. */
  private async keep(reservations: Reservation[], records: number): Promise<void> {
    for (const reservation of reservations) {
      const excess = reservation.granted - records;
      if (excess === 0) continue;
      reservation.count = await this.counters.giveBack(reservation.window, excess, reservation.count);
      reservation.granted = records;
      this.hold(reservation.window, -excess);
    }
  }

  private async countIn(windows: readonly BudgetWindow[]): Promise<Counted[]> {
    const counts = await this.counters.read(windows);
    return windows.map((window, index) => ({ window, consumed: counts[index] ?? 0 }));
  }

  // Before it is counted and until after it is given back, so that no count has more of it than is known here.
  private hold(window: BudgetWindow, records: number): void {
    const held = this.heldIn(window) + records;
    if (held === 0) this.held.delete(window.key);
    else this.held.set(window.key, held);
  }

  private heldIn({ key }: BudgetWindow): number {
    return this.held.get(key) ?? 0;
  }
}

interface Counted {
  readonly window: BudgetWindow;
  readonly consumed: number;
}

const toCounted = ({ window, count }: Reservation): Counted => ({ window, consumed: count.consumed });

function leftOf([minute, longer]: Counted[]): Metered {
  if (!minute) throw new Error('a budget has at least the window of a minute');
  const rate = Object.assign(new Rate(), {
    limit_per_min: minute.window.limit,
    remaining: remainingOf(minute),
    reset_in: resetInSeconds(minute.window, new Date()),
  });
  return longer ? { rate, quota: quotaOf(longer) } : { rate };
}

function quotaOf(counted: Counted): Quota {
  const { period, limit, endsAt } = counted.window;
  if (period === 'minute') throw new Error('the longer budget is never that of a minute');
  return { period, limit, remaining: remainingOf(counted), resets_at: endsAt.toISOString() };
}

// A counter may stand above its limit while a parallel request gives back, and below zero never for long.
function remainingOf({ window: { limit }, consumed }: Counted): number {
  return Math.min(limit, Math.max(0, limit - consumed));
}

/** @param spent the window to wait for; none: what is left is held by others for a moment */
function refusal(caller: Caller, counted: Counted[], spent: BudgetWindow | undefined): MeteredError {
  const full =
    spent ?? (counted.find(({ window, consumed }) => consumed >= window.limit) ?? counted[0])?.window;
  if (!full) throw new Error('a budget has at least the window of a minute');
  const { period, limit } = full;
  const seconds = spent ? resetInSeconds(spent, new Date()) : HELD_RETRY_SECONDS;
  const why = spent
    ? `is spent; it is full again in ${seconds} s.`
    : 'is held by requests under way; try again in a second.';
  const failure = new ApiError(
    'budget_exhausted',
    `The budget of ${limit} domain records ${period === 'hour' ? 'an' : 'a'} ${period} ${why}`,
    { retryAfterSeconds: seconds },
  );
  return new MeteredError(failure, caller.tier, leftOf(counted));
}
