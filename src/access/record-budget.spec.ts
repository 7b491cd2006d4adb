import type { Caller } from './caller.js';
import { TIERS } from '../config/tiers.js';
import { BudgetClock } from './budget-store.js';
import type { BudgetCounts } from './budget-window.js';
import { SpentBudgets } from './record-budget.js';

class HandedInClock extends BudgetClock {
  ms = 0;

  override elapsedMs(): number {
    return this.ms;
  }
}

const now = new Date('2026-11-20T11:59:48Z');
const used = (minuteUsed: number, reserved = 0): BudgetCounts => ({
  ...{ now, minuteUsed, period: 'minute', periodUsed: minuteUsed, reserved },
});
const callerOf = (id: string): Caller => ({ id, tier: TIERS.demo });
const caller = callerOf('ip:203.0.113.7');
const { recordsPerMinute } = TIERS.demo;

describe('the budgets that were seen spent', () => {
  let clock: HandedInClock;
  let budgets: SpentBudgets;
  beforeEach(() => {
    clock = new HandedInClock();
    clock.ms = 1_000_000;
    budgets = new SpentBudgets(clock);
  });

  it('are remembered until the window ends, and as they are then', () => {
    budgets.note(caller, used(recordsPerMinute));
    clock.ms += 11_999;
    expect(budgets.recall(caller)).toEqual({
      ...used(recordsPerMinute),
      now: new Date('2026-11-20T11:59:59.999Z'),
    });
    clock.ms += 1;
    expect(budgets.recall(caller)).toBeNull();
  });

  it('say nothing of others, nor of what is not spent', () => {
    budgets.note(caller, used(recordsPerMinute));
    budgets.note(callerOf('ip:198.51.100.1'), used(recordsPerMinute - 1));
    expect(budgets.recall(callerOf('ip:192.0.2.1'))).toBeNull();
    expect(budgets.recall(callerOf('ip:198.51.100.1'))).toBeNull();
  });

  it('forget what was reserved, which may come back', () => {
    budgets.note(caller, used(recordsPerMinute, 3));
    expect(budgets.recall(caller)?.reserved).toBe(0);
  });

  it('are those of the caller’s last answer', () => {
    budgets.note(caller, used(recordsPerMinute));
    budgets.note(caller, used(recordsPerMinute - 1));
    expect(budgets.recall(caller)).toBeNull();
  });

  it('are forgotten for a caller whose tier has more, also when it is lowered again', () => {
    budgets.note(caller, used(recordsPerMinute));
    expect(budgets.recall({ ...caller, tier: TIERS.pro })).toBeNull();
    expect(budgets.recall(caller)).toBeNull();
  });

  it('are of so many callers at most, and the oldest is forgotten', () => {
    const most = 100_000;
    for (let number = 0; number < most; number += 1)
      budgets.note(callerOf(`ip:${number}`), used(recordsPerMinute));
    expect(budgets.recall(callerOf('ip:0'))).not.toBeNull();
    // Who comes again is the newest.
    budgets.note(callerOf('ip:0'), used(recordsPerMinute));
    // Who has something left takes no place.
    budgets.note(callerOf('ip:other'), used(recordsPerMinute - 1));
    budgets.note(callerOf('ip:new'), used(recordsPerMinute));
    const known = ['ip:0', 'ip:1', 'ip:50000', 'ip:new'].map((id) => budgets.recall(callerOf(id)) !== null);
    expect(known).toEqual([true, false, true, true]);
  });
});
