import { Injectable, Logger } from '@nestjs/common';
import { ApiError } from '../errors/api-error.js';
import { RequestEnded } from '../errors/database-failure.js';
import { BoundedMap } from '../validation/caches.js';
import { messageOf } from '../validation/unknown-values.js';
import { BudgetHolds, type Hold } from './budget-holds.js';
import { BudgetClock, BudgetStore, type Grant } from './budget-store.js';
import { type BudgetCounts, countsLater, spentWindow } from './budget-window.js';
import type { Caller } from './caller.js';
import { Takers } from './network-rules.js';
import { type NetworkLimit, NetworkShares, type Taken } from './network-shares.js';
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

/** Work that has its records reserved asks the registry. */
const LIVE: readonly NetworkLimit[] = ['records', 'live_checks'];
/** More than any reservation has. */
const MAX_KEPT = 2 ** 31 - 1;

/** Records charged, and the budgets after it. */
interface Charged {
  readonly granted: number;
  readonly left: Metered;
}

/** Records reserved, and the budgets after it. */
export interface Held extends Charged {
  readonly reservation: string;
  /** Gives unsent records and unasked registry questions back to the networks of the caller, once. */
  readonly giveBack: (sent: number, asked: number) => Promise<void>;
}

/** The result of paid work, and the budgets after it. */
export interface Spent<Result> {
  readonly result: Result;
  readonly left: Metered;
}

/**
 * The record budget of a caller, shared by all routes and instances. Records are held before work that asks the
 * registry and after other work; they are charged when the answer has been sent. Failed, killed and unsent answers
 * cost nothing.
 */
@Injectable()
export class RecordBudget {
  private readonly logger = new Logger(RecordBudget.name);

  constructor(
    private readonly counters: BudgetStore,
    private readonly holds: BudgetHolds,
    private readonly spent: SpentBudgets,
    private readonly networks: NetworkShares,
    private readonly takers: Takers,
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
    return toMetered(caller.tier, await this.holds.read(caller));
  }

  /** Charges now what this process has sent until now. */
  settle(): Promise<void> {
    return this.holds.flush();
  }

  /**
   * Charges for an answer when it has been sent. If fewer records are left, the caller gets only the first `granted`
   * ones.
   *
   * @throws {MeteredError} budget_exhausted with Retry-After if none is granted
   */
  async charge(caller: Caller, records: number): Promise<Charged> {
    if (records === 0) return { granted: 0, left: await this.read(caller) };
    const hold = await this.holdOf(caller, records, ['records']);
    const charged = this.assertGranted(caller, hold);
    if (caller.delivery) this.chargeWhenSent(caller, hold, () => hold.granted);
    else this.end(caller, hold, hold.granted);
    return charged;
  }

  /**
   * Holds up to `wanted` records, does the work with those granted, and charges them when the answer has been sent.
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
    const hold = await this.holdOf(caller, wanted, LIVE);
    const { granted } = this.assertGranted(caller, hold);
    let due = 0;
    this.chargeWhenSent(caller, hold, () => due);
    caller.delivery?.waits();
    try {
      const { result, used } = await work(granted);
      hold.keep(used);
      const left = await this.read(caller);
      due = used;
      if (!caller.delivery) this.end(caller, hold, used);
      return { result, left };
    } catch (error) {
      // After a hang-up the registry still answers: its live checks stay counted.
      if (!(error instanceof RequestEnded)) hold.keep(0);
      hold.end(0);
      if (!(error instanceof ApiError)) throw error;
      throw new MeteredError(error, toMetered(caller.tier, await this.holds.read(caller).catch(() => hold)));
    }
  }

  /**
   * Reserves up to `wanted` records for work that outlasts the request; {@link draw} charges them step by step.
   *
   * @throws {MeteredError} budget_exhausted with Retry-After if nothing is left
   */
  async hold(caller: Caller, wanted: number, seconds: number): Promise<Held> {
    const { hold: reservation, taken } = await this.withinNetwork(caller, wanted, LIVE, (allowed) =>
      this.counters.reserve(caller, allowed, seconds),
    );
    const charged = this.assertGranted(caller, reservation);
    let isOver = false;
    const giveBack = async (sent: number, asked: number) => {
      if (isOver) return;
      isOver = true;
      await taken.giveBack(charged.granted - sent, 'records');
      await taken.giveBack(charged.granted - asked, 'live_checks');
    };
    return { ...charged, reservation: reservation.id, giveBack };
  }

  /**
   * Charges part of a reservation. A repeated call charges nothing more.
   *
   * @param total records to be charged in all by now
   * @param kept records that it keeps, including the charged ones; by default it stays as it is
   */
  async draw(caller: Caller, reservation: string, total: number, kept = MAX_KEPT): Promise<Metered> {
    const counts = await this.counters.draw(caller, reservation, total, kept);
    this.spent.note(caller, counts);
    return toMetered(caller.tier, counts);
  }

  /**
   * Records that are not sent go back to the networks of the caller too. Questions that were asked do not: callers who
   * hang up would have the registry asked without end.
   */
  private async holdOf(caller: Caller, wanted: number, limits: readonly NetworkLimit[]): Promise<Hold> {
    const { hold, taken } = await this.withinNetwork(caller, wanted, limits, (allowed) =>
      this.holds.hold(caller, allowed),
    );
    const held = { records: hold.granted, live_checks: hold.granted };
    const giveBackBeyond = (used: number, limit: keyof typeof held) => {
      const unused = held[limit] - used;
      if (unused <= 0) return;
      taken.giveBack(unused, limit).catch((error: unknown) => this.logger.warn(messageOf(error)));
      held[limit] = used;
    };
    return {
      ...hold,
      keep: (records) => {
        hold.keep(records);
        giveBackBeyond(records, 'records');
        giveBackBeyond(records, 'live_checks');
      },
      end: (sent) => {
        giveBackBeyond(sent, 'records');
        // Nothing is left to give back.
        held.records = 0;
        return hold.end(sent);
      },
    };
  }

  /** @throws {ApiError} too_many_requests, if the network of a caller without an account has had its share */
  private async withinNetwork<Granted extends Grant>(
    { id, tier }: Caller,
    wanted: number,
    limits: readonly NetworkLimit[],
    work: (allowed: number) => Promise<Granted>,
  ): Promise<{ hold: Granted; taken: Taken }> {
    const taken = await this.networks.takeAll(limits, id, wanted, tier);
    let granted = 0;
    try {
      const hold = await work(taken.granted);
      granted = hold.granted;
      return { hold, taken };
    } finally {
      await taken.giveBack(taken.granted - granted);
    }
  }

  private chargeWhenSent(caller: Caller, hold: Hold, due: () => number): void {
    caller.delivery?.onEnd((share) => this.end(caller, hold, Math.floor(due() * share)));
  }

  private end(caller: Caller, hold: Hold, sent: number): void {
    const counts = hold.end(sent);
    this.takers.note(caller, 'records', sent);
    if (counts) this.spent.note(caller, counts);
  }

  /** @throws {MeteredError} budget_exhausted if nothing was granted */
  private assertGranted(caller: Caller, counts: Grant): Charged {
    this.spent.note(caller, counts);
    if (counts.granted === 0) throw budgetExhausted(caller.tier, counts);
    return { granted: counts.granted, left: toMetered(caller.tier, counts) };
  }
}
