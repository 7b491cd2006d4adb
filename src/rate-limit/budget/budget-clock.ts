import { Injectable } from '@nestjs/common';

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
