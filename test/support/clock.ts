import { until } from './processes.js';

const ROOM_SECONDS = 10;

/** Waits for a minute that does not turn before a few requests are answered: budgets start anew with it. */
export async function roomInMinute(): Promise<void> {
  await until('a fresh minute', () => new Date().getUTCSeconds() < 60 - ROOM_SECONDS);
}
