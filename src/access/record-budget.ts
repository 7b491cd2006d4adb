import { Injectable } from '@nestjs/common';
import { ApiError } from '../errors/api-error.js';
import { BoundedMap } from '../validation/caches.js';
import { BudgetClock, BudgetStore, type Grant } from './budget-store.js';
import { type BudgetCounts, countsLater, spentWindow } from './budget-window.js';
import type { Caller } from './caller.js';
import { budgetExhausted, type Metered, MeteredError, toMetered } from './rate.dto.js';

/** 20 MB at most. Whoever is forgotten is refused by PostgreSQL instead. */
const MAX_CALLERS = 100_000;

interface Seen {
  readonly counts: BudgetCounts;
  readonly atMs: number;
}

/** The callers whose budget this instance has seen spent: what is charged is never given back, so they are until a window ends. */
@Injectable()
export class SpentBudgets {
  private readonly seen = new BoundedMap<string, Seen>(MAX_CALLERS);

  constructor(private readonly clock: BudgetClock) {}

  note({ id, tier }: Caller, counts: BudgetCounts): void {
    this.seen.delete(id);
    if (!spentWindow(tier, counts)) return;
    this.seen.set(id, { counts: { ...counts, reserved: 0 }, atMs: this.clock.elapsedMs() });
  }

  /** @returns the counts of a caller who has nothing left, as they are now */
  recall({ id, tier }: Caller): BudgetCounts | null {
    const seen = this.seen.get(id);
    if (!seen) return null;
    const passedMs = this.clock.elapsedMs() - seen.atMs;
    const counts = countsLater(seen.counts, new Date(seen.counts.now.getTime() + passedMs));
    // The tier may have changed meanwhile, and its limits with it.
    if (spentWindow(tier, counts)) return counts;
    this.seen.delete(id);
    return null;
  }
}

/** How much of an answer is paid for, and what is left. */
interface Charged {
  readonly granted: number;
  readonly left: Metered;
}

/** The same of what is held. */
export interface Held extends Charged {
  readonly reservation: string;
}

/** What came of work that is paid for, and what is left. */
export interface Spent<Result> {
  readonly result: Result;
  readonly left: Metered;
}

/**
 * The one record budget, shared by every route, door and instance. Work that costs us little is charged when it is done;
 * work that asks the registry reserves first. What fails or is killed costs nothing.
 */
@Injectable()
export class RecordBudget {
  constructor(
    private readonly counters: BudgetStore,
    private readonly spent: SpentBudgets,
  ) {}

  /**
   * Refuses, without a question to anybody, a caller whose budget this instance has seen spent.
   *
   * @throws {MeteredError} budget_exhausted with Retry-After
   */
  assertLeft(caller: Caller): void {
    const counts = this.spent.recall(caller);
    if (counts) throw budgetExhausted(caller.tier, counts);
  }

  /** What is left of every budget of the caller; costs nothing. @throws {DatabaseUnavailable} */
  async read(caller: Caller): Promise<Metered> {
    return toMetered(caller.tier, await this.counters.read(caller));
  }

  /**
   * Charges for an answer that is there. Of more records than are left it grants the first ones: the answer is to be cut to them.
   *
   * @throws {MeteredError} budget_exhausted with Retry-After when none of them is granted
   */
  async charge(caller: Caller, records: number): Promise<Charged> {
    if (records === 0) return { granted: 0, left: await this.read(caller) };
    return this.told(caller, await this.counters.charge(caller, records));
  }

  /**
   * Reserves up to `wanted` records, does the work with what was granted, and charges for that.
   *
   * @throws {MeteredError} budget_exhausted with Retry-After when nothing is left; the work is not begun then. What the work
   *   throws, when it fails
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

  /** The same for work that says how many of the records it used: one at least. */
  async reserveSome<Result>(
    caller: Caller,
    wanted: number,
    work: (granted: number) => Promise<{ readonly result: Result; readonly used: number }>,
  ): Promise<Spent<Result>> {
    const counts = await this.counters.reserve(caller, wanted);
    const { granted } = this.told(caller, counts);
    const { result, used } = await work(granted).catch(async (error: unknown) => {
      // Where it cannot be given back now, the reservation ends by itself.
      const left = await counts.settle(0).catch(() => counts);
      throw error instanceof ApiError ? new MeteredError(error, toMetered(caller.tier, left)) : error;
    });
    const { left } = this.told(caller, await counts.settle(used));
    return { result, left };
  }

  /**
   * Reserves up to `wanted` records for work that outlasts the request; {@link draw} charges them as it is done.
   *
   * @throws {MeteredError} budget_exhausted with Retry-After when nothing is left
   */
  async hold(caller: Caller, wanted: number, seconds: number): Promise<Held> {
    const reservation = await this.counters.reserve(caller, wanted, seconds);
    return { ...this.told(caller, reservation), reservation: reservation.id };
  }

  /**
   * Charges what is held, `total` records altogether by now; told twice, it charges once.
   *
   * @param isLast whether the rest is given back
   */
  async draw(caller: Caller, reservation: string, total: number, isLast: boolean): Promise<Metered> {
    const counts = await this.counters.draw(caller, reservation, total, isLast);
    this.spent.note(caller, counts);
    return toMetered(caller.tier, counts);
  }

  /** @throws {MeteredError} budget_exhausted when nothing was granted */
  private told(caller: Caller, counts: Grant): Charged {
    this.spent.note(caller, counts);
    if (counts.granted === 0) throw budgetExhausted(caller.tier, counts);
    return { granted: counts.granted, left: toMetered(caller.tier, counts) };
  }
}
