import { Injectable } from '@nestjs/common';
import { ApiError } from '../errors/api-error.js';
import { BoundedMap } from '../validation/caches.js';
import { BudgetClock, BudgetStore, type Grant } from './budget-store.js';
import { type BudgetCounts, countsLater, spentWindow } from './budget-window.js';
import type { Caller } from './caller.js';
import { budgetExhausted, type Metered, MeteredError, toMetered } from './rate.dto.js';

/** 20 MB at most. An evicted caller is refused by PostgreSQL instead. */
const MAX_CALLERS = 100_000;

interface Seen {
  readonly counts: BudgetCounts;
  readonly atMs: number;
}

/** Callers with a spent budget. Charges are never refunded, so it stays spent until its window ends. */
@Injectable()
export class SpentBudgets {
  private readonly seen = new BoundedMap<string, Seen>(MAX_CALLERS);

  constructor(private readonly clock: BudgetClock) {}

  note({ id, tier }: Caller, counts: BudgetCounts): void {
    this.seen.delete(id);
    if (!spentWindow(tier, counts)) return;
    this.seen.set(id, { counts: { ...counts, reserved: 0 }, atMs: this.clock.elapsedMs() });
  }

  /** @returns the current counts of a caller without records left */
  recall({ id, tier }: Caller): BudgetCounts | null {
    const seen = this.seen.get(id);
    if (!seen) return null;
    const passedMs = this.clock.elapsedMs() - seen.atMs;
    const counts = countsLater(seen.counts, new Date(seen.counts.now.getTime() + passedMs));
    // The tier, and with it the limits, may have changed.
    if (spentWindow(tier, counts)) return counts;
    this.seen.delete(id);
    return null;
  }
}

/** Records charged, and the budgets after it. */
interface Charged {
  readonly granted: number;
  readonly left: Metered;
}

/** Records reserved, and the budgets after it. */
export interface Held extends Charged {
  readonly reservation: string;
}

/** The result of paid work, and the budgets after it. */
export interface Spent<Result> {
  readonly result: Result;
  readonly left: Metered;
}

/**
 * The record budget of a caller, shared by all routes and instances. Cheap work is charged when it is done; work that
 * asks the registry reserves first. Failed or killed work costs nothing.
 */
@Injectable()
export class RecordBudget {
  constructor(
    private readonly counters: BudgetStore,
    private readonly spent: SpentBudgets,
  ) {}

  /**
   * Refuses a caller whose budget is known to be spent, without a query.
   *
   * @throws {MeteredError} budget_exhausted with Retry-After
   */
  assertLeft(caller: Caller): void {
    const counts = this.spent.recall(caller);
    if (counts) throw budgetExhausted(caller.tier, counts);
  }

  /** The caller's budgets; costs nothing. @throws {DatabaseUnavailable} */
  async read(caller: Caller): Promise<Metered> {
    return toMetered(caller.tier, await this.counters.read(caller));
  }

  /**
   * Charges for a finished answer. If fewer records are left, the caller gets only the first `granted` ones.
   *
   * @throws {MeteredError} budget_exhausted with Retry-After if none is granted
   */
  async charge(caller: Caller, records: number): Promise<Charged> {
    if (records === 0) return { granted: 0, left: await this.read(caller) };
    return this.assertGranted(caller, await this.counters.charge(caller, records));
  }

  /**
   * Reserves up to `wanted` records, does the work with those granted, and charges them.
   *
   * @throws {MeteredError} budget_exhausted with Retry-After if nothing is left; the work is not started then. Errors
   * of
   *   the work are rethrown.
   */
  reserve<Result>(
    caller: Caller,
    wanted: number,
    work: (granted: number) => Promise<Result>,
  ): Promise<Spent<Result>> {
    return this.reserveSome(caller, wanted, async (granted) => ({
      result: await work(granted),
      used: granted,
    }));
  }

  /** The same for work that reports how many records it used, at least one. */
  async reserveSome<Result>(
    caller: Caller,
    wanted: number,
    work: (granted: number) => Promise<{ readonly result: Result; readonly used: number }>,
  ): Promise<Spent<Result>> {
    const counts = await this.counters.reserve(caller, wanted);
    const { granted } = this.assertGranted(caller, counts);
    const { result, used } = await work(granted).catch(async (error: unknown) => {
      // A reservation that cannot be released now expires.
      const left = await counts.settle(0).catch(() => counts);
      throw error instanceof ApiError ? new MeteredError(error, toMetered(caller.tier, left)) : error;
    });
    const { left } = this.assertGranted(caller, await counts.settle(used));
    return { result, left };
  }

  /**
   * Reserves up to `wanted` records for work that outlasts the request; {@link draw} charges them step by step.
   *
   * @throws {MeteredError} budget_exhausted with Retry-After if nothing is left
   */
  async hold(caller: Caller, wanted: number, seconds: number): Promise<Held> {
    const reservation = await this.counters.reserve(caller, wanted, seconds);
    return { ...this.assertGranted(caller, reservation), reservation: reservation.id };
  }

  /**
   * Charges part of a reservation. A repeated call charges nothing more.
   *
   * @param total records to be charged in all by now
   * @param isLast whether the rest is released
   */
  async draw(caller: Caller, reservation: string, total: number, isLast: boolean): Promise<Metered> {
    const counts = await this.counters.draw(caller, reservation, total, isLast);
    this.spent.note(caller, counts);
    return toMetered(caller.tier, counts);
  }

  /** @throws {MeteredError} budget_exhausted if nothing was granted */
  private assertGranted(caller: Caller, counts: Grant): Charged {
    this.spent.note(caller, counts);
    if (counts.granted === 0) throw budgetExhausted(caller.tier, counts);
    return { granted: counts.granted, left: toMetered(caller.tier, counts) };
  }
}
