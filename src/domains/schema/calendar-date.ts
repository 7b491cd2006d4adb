/** A day as YYYY-MM-DD; such texts compare like the days they name. */
export type CalendarDate = string;

/** Whether the text is YYYY-MM-DD and that day exists. PostgreSQL knows no year 0. */
export function isCalendarDate(text: string): boolean {
  const match = ISO_DATE.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

/** The day in UTC, moved by some days. */
export function calendarDateOf(moment: Date, plusDays = 0): CalendarDate {
  return new Date(moment.getTime() + plusDays * 86_400_000).toISOString().slice(0, 10);
}

const ISO_DATE = /^(?!0000)(\d{4})-(\d{2})-(\d{2})$/;

// Day 0 of the next month is the last of this one.
function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/**
 * Where the registry keeps its day: AEST, ten hours ahead of UTC all year round, as Queensland has no daylight
 * saving.
 */
export const PURGE_ZONE = 'Australia/Brisbane';
const OFFSET_HOURS = 10;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The moment as AEST writes it, with its offset: `2026-11-21T13:00:00+10:00`. */
export function toPurgeZone(moment: Date): string {
  return `${shifted(moment).slice(0, 19)}+${OFFSET_HOURS}:00`;
}

/** The time of day there: `13:00`. */
export function timeInPurgeZone(moment: Date): string {
  return shifted(moment).slice(11, 16);
}

/** The day there, moved by some days. */
export function dayInPurgeZone(moment: Date, plusDays = 0): CalendarDate {
  return shifted(new Date(moment.getTime() + plusDays * DAY_MS)).slice(0, 10);
}

/** The first moment of a day there, and the first behind it. */
export function boundsOfDay(day: CalendarDate): { from: Date; to: Date } {
  const from = new Date(Date.parse(`${day}T00:00:00Z`) - OFFSET_HOURS * HOUR_MS);
  return { from, to: new Date(from.getTime() + DAY_MS) };
}

const shifted = (moment: Date) => new Date(moment.getTime() + OFFSET_HOURS * HOUR_MS).toISOString();

const DAYS_AWAY: ReadonlyMap<string, number> = new Map([
  ['yesterday', -1],
  ['today', 0],
  ['tomorrow', 1],
]);
/** Words that are taken for days. */
export const DAY_WORDS = [...DAYS_AWAY.keys()].join(', ');

/** The day that such a word stands for; null for any other value. @param now by the database's clock */
export function dayOfWord(value: unknown, zone: 'AEST' | 'UTC', now: Date): CalendarDate | null {
  const away = typeof value === 'string' ? DAYS_AWAY.get(value.trim().toLowerCase()) : undefined;
  if (away === undefined) return null;
  return zone === 'UTC' ? calendarDateOf(now, away) : dayInPurgeZone(now, away);
}
