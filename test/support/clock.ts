import type { INestApplicationContext } from '@nestjs/common';
import { getStorageToken } from '@nestjs/throttler';
import { BudgetClock } from '../../src/access/budget-store.js';
import type { RateLimitStorage } from '../../src/access/rate-limit.guard.js';

const MINUTE_MS = 60_000;
const minuteNow = () => Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;

/** Settings of the service under test: a slow machine is no database that stands still, and no registry that is away. */
export const PATIENCE = {
  DATABASE_TIMEOUT_MS: '20000',
  READ_DEADLINE_MS: '60000',
  REGISTRY_TIMEOUT_MS: '30000',
};

/** A clock that stands still until it is told the time. In the place of the provider `Clock`. */
export class HandedClock {
  constructor(private time = new Date('2026-11-20T03:00:00Z')) {}

  set(time: Date): void {
    this.time = time;
  }

  async now(): Promise<Date> {
    return this.time;
  }
}

/** Has the record budgets of a service go by this moment, until another is set. */
export function setBudgetTime(app: INestApplicationContext, at: Date): void {
  Object.assign(app.get(BudgetClock), { at, elapsedMs: () => at.getTime() });
}

/** Has the limits of these services stay at the beginning of this minute, as budgets start anew with each. */
export function holdMinute(...services: { app: INestApplicationContext }[]): void {
  const beginning = minuteNow();
  for (const { app } of services) {
    Object.assign(app.get(BudgetClock), { at: new Date(beginning) });
    Object.assign(app.get<RateLimitStorage>(getStorageToken()), { nowMs: () => beginning });
  }
}

/** Does the work, which has to begin anew each time, until no minute turns in it. For a clock that nobody can hold. */
export async function withinMinute<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const begunIn = minuteNow();
    const result = await work();
    if (minuteNow() === begunIn) return result;
  }
}
