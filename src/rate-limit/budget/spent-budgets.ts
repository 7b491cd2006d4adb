import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller.js';
import { BudgetClock } from './budget-clock.js';
import { type BudgetCounts, countsLater, spentWindow } from './budget-window.js';
import { BoundedMap } from '../../validation/bounded-map.js';

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
