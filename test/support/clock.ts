import type { INestApplicationContext } from '@nestjs/common';
import { BudgetClock } from '../../src/access/budget-store.js';
import { until } from './processes.js';

const ROOM_SECONDS = 10;

/** Waits for a minute that does not turn before a few requests are answered: budgets start anew with it. */
export async function roomInMinute(): Promise<void> {
  await until('a fresh minute', () => new Date().getUTCSeconds() < 60 - ROOM_SECONDS);
}

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
