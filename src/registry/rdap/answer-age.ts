import { readHttpDate } from '../../validation/formats.js';

/** An answer that was made just now bears a Date of up to a second ago, by a clock that may differ a little from ours. */
const MAX_CLOCK_DIFFERENCE_MS = 2000;

/**
 * How long before `now` the registry said what a response holds, in milliseconds: a cache in between tells by Age, and one that
 * does not by the Date that it kept (RFC 9111, 4.2.3).
 *
 * @param now when the question was sent, by the database's clock
 */
export function ageOf(age: string | null, date: string | null, now: Date): number {
  const toldMs = /^\d{1,9}$/.test(age?.trim() ?? '') ? Number(age) * 1000 : 0;
  const saidAt = readHttpDate(date?.trim() ?? '');
  const apparentMs = saidAt ? now.getTime() - saidAt.getTime() : 0;
  return Math.max(toldMs, apparentMs > MAX_CLOCK_DIFFERENCE_MS ? apparentMs : 0);
}
