import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Caller } from '../auth/caller.js';
import { Database, isAbsence } from '../database/database.js';
import { ApiError } from '../errors/api-error.js';
import { type BudgetWindow, resetInSeconds, windowsAt } from './budget-window.js';
import { rateHeaders } from './rate-headers.js';
import { type Metered, Quota, Rate } from './rate.dto.js';

/** What came of work that was paid for, and what is left. */
export type Spent<Result> = Metered & { readonly result: Result };

/** Work done on reserved records; `used` of them are kept, the rest goes back. */
export type MeteredWork<Result> = (granted: number) => Promise<{ used: number; result: Result }>;

interface Reservation {
  readonly window: BudgetWindow;
  granted: number;
  /** Records that the window counts as spent, this reservation included. */
  consumed: number;
  /** Nothing was free, and not only because others held it. */
  isSpent: boolean;
}

// Counters outlive their window by this much, so that a late refund meets its own counter and not a fresh one.
const COUNTER_GRACE_SECONDS = 600;
// The limiter only counts; what is granted is decided here, against the tier's row.
const COUNT_ONLY = Number.MAX_SAFE_INTEGER;
const HELD_RETRY_SECONDS = 1;

/**
 * The one record budget, shared by every route, door and instance. Records are reserved before the work and what the
 * work did not use goes back, so that failed work costs nothing. Counters live in PostgreSQL; while it is away,
 * memory counts instead (which matters little: nothing can be answered without the dataset).
 */
@Injectable()
export class RecordBudget {
  private readonly logger = new Logger(RecordBudget.name);
  private readonly stored: RateLimiterPostgres;
  private readonly memory: RateLimiterMemory;
  /** By a window's key, the records that requests under way in this process hold. */
  private readonly held = new Map<string, number>();

  constructor(private readonly database: Database) {
    const counting = { keyPrefix: '', points: COUNT_ONLY, duration: COUNTER_GRACE_SECONDS };
    this.memory = new RateLimiterMemory(counting);
    this.stored = new RateLimiterPostgres({
      ...counting,
      storeClient: database.pool,
      storeType: 'pool',
      tableName: 'record_budget',
      tableCreated: true,
      clearExpiredByTimeout: false,
    });
  }

  /**
   * Reserves up to `wanted` records, does the work with what was granted, and gives back what it did not use.
   *
   * @throws {ApiError} budget_exhausted with Retry-After when nothing is left; the work is not begun then
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

  /** What is left of every budget of the caller; costs nothing. @throws {ApiError} database_unavailable */
  async read(caller: Caller): Promise<Metered> {
    const windows = windowsAt(caller.tier, caller.id, new Date());
    // Never from memory, which has not seen all: what a caller is told is true or not said.
    return leftOf(await this.database.guard(() => countIn(this.stored, windows)));
  }

  /** Removes the counters of windows long past. */
  @Cron(CronExpression.EVERY_10_MINUTES)
  async purgeExpired(): Promise<void> {
    try {
      await this.database.query('DELETE FROM record_budget WHERE expire < $1', [Date.now()]);
    } catch (error) {
      this.logger.warn(`Old budget counters were not removed: ${String(error)}`);
    }
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
      return { result, ...leftOf(reservations) };
    } catch (error) {
      await this.keep(reservations, 0);
      // A metered answer always says what is left, a failure too; but not while memory counts, which has not seen all.
      throw error instanceof ApiError && error.code !== 'database_unavailable'
        ? error.withHeaders(rateHeaders(caller.tier, leftOf(reservations)))
        : error;
    }
  }

  // Adding first and looking at the sum afterwards is what makes it exact under parallel requests: every request sees
  // a different sum, so no two are granted the same record, on whichever instance they run.
  private async reserve(caller: Caller, wanted: number, reservations: Reservation[]): Promise<number> {
    const now = new Date();
    let granted = wanted;
    for (const window of windowsAt(caller.tier, caller.id, now)) {
      const reservation = { window, granted, consumed: 0, isSpent: false };
      reservations.push(reservation);
      const before = this.heldIn(window);
      this.hold(window, granted);
      reservation.consumed = await this.add(window, granted, now);
      // Others come and go while the count is on its way: whoever was there before or is there after may be in it.
      const byOthers = Math.max(before, this.heldIn(window) - granted);
      const free = window.limit - (reservation.consumed - granted);
      reservation.isSpent = free + byOthers <= 0;
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
    const others = await this.ask((counters) => countIn(counters, rest));
    // What parallel requests hold mostly goes back. Of the windows that are spent without it, the one that ends last.
    const spent =
      others.findLast(({ window, consumed }) => consumed - this.heldIn(window) >= window.limit) ??
      reservations.findLast(({ isSpent }) => isSpent);
    return refusal(caller, [...reservations, ...others], spent);
  }

  /** Gives back what is held beyond this many records of each window. */
  private async keep(reservations: Reservation[], records: number): Promise<void> {
    for (const reservation of reservations) {
      const excess = reservation.granted - records;
      if (excess === 0) continue;
      reservation.consumed = await this.add(reservation.window, -excess, new Date());
      reservation.granted = records;
      this.hold(reservation.window, -excess);
    }
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

  private async add(window: BudgetWindow, records: number, now: Date): Promise<number> {
    const options = { customDuration: resetInSeconds(window, now) + COUNTER_GRACE_SECONDS };
    const { consumedPoints } = await this.ask((counters) =>
      records >= 0
        ? counters.penalty(window.key, records, options)
        : counters.reward(window.key, -records, options),
    );
    return consumedPoints;
  }

  // Memory counts only while the server is away. One that is there and refuses to count must not serve records for free.
  private ask<Result>(question: (counters: RateLimiterAbstract) => Promise<Result>): Promise<Result> {
    return this.database.guard(async () => {
      try {
        return await question(this.stored);
      } catch (error) {
        if (!isAbsence(error)) throw error;
        return question(this.memory);
      }
    });
  }
}

type Counted = Pick<Reservation, 'window' | 'consumed'>;

async function countIn(counters: RateLimiterAbstract, windows: BudgetWindow[]): Promise<Counted[]> {
  const found = await Promise.all(windows.map(({ key }) => counters.get(key)));
  return windows.map((window, index) => ({ window, consumed: found[index]?.consumedPoints ?? 0 }));
}

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

function refusal(caller: Caller, counted: Counted[], spent: Counted | undefined): ApiError {
  const full = spent ?? counted.find(({ window, consumed }) => consumed >= window.limit) ?? counted[0];
  if (!full) throw new Error('a budget has at least the window of a minute');
  const { period, limit } = full.window;
  const seconds = spent ? resetInSeconds(spent.window, new Date()) : HELD_RETRY_SECONDS;
  const why = spent
    ? `is spent; it is full again in ${seconds} s.`
    : 'is held by requests under way; try again in a second.';
  return new ApiError(
    'budget_exhausted',
    `The budget of ${limit} domain records ${period === 'hour' ? 'an' : 'a'} ${period} ${why}`,
    { headers: { 'Retry-After': String(seconds), ...rateHeaders(caller.tier, leftOf(counted)) } },
  );
}
