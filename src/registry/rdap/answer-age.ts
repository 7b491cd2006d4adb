import { readHttpDate } from '../../validation/formats.js';

/** An answer that was made just now bears a Date of up to a second ago, by a clock that may differ a little from ours. */
const MAX_CLOCK_DIFFERENCE_MS = 2000;
/** Longer ages are one: a moment that far back is no longer a date. */
const MAX_AGE_MS = 100 * 365 * 86_400_000;
/** The comma before a weekday, which no date has inside. */
const BETWEEN_DATES = /,(?=\s*[A-Z][a-z]{2,8},)/;

/**
 * How long before `now` the registry said what a response holds, in milliseconds: a cache in between tells by Age, and one that
 * does not by the Date that it kept (RFC 9111, 4.2.3). Of several claims the oldest counts.
 *
 * @param now when the question was sent, by the database's clock
 */
export function ageOf(age: string | null, date: string | null, now: Date): number {
  const told = (age?.split(',') ?? []).map((text) => text.trim()).filter((text) => /^\d+$/.test(text));
  const saidAt = (date?.split(BETWEEN_DATES) ?? []).flatMap((text) => readHttpDate(text.trim()) ?? []);
  const apparentMs = Math.max(0, ...saidAt.map((moment) => now.getTime() - moment.getTime()));
  const ageMs = Math.max(0, ...told.map((seconds) => Number(seconds) * 1000));
  return Math.min(MAX_AGE_MS, Math.max(ageMs, apparentMs > MAX_CLOCK_DIFFERENCE_MS ? apparentMs : 0));
}
