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
