import { calendarDateOf, type CalendarDate } from '../../domains/schema/calendar-date.js';

const DAYS_OF_WEEK = 7;
const MONDAY = 1;

/** A month as weeks that begin on Monday; null where a day belongs to another month. */
export interface Month {
  /** YYYY-MM */
  readonly name: string;
  readonly weeks: readonly (readonly (CalendarDate | null)[])[];
  readonly first: CalendarDate;
  readonly last: CalendarDate;
  /** A day of the month before, and of the one behind. */
  readonly before: CalendarDate;
  readonly behind: CalendarDate;
}

export function monthOf(day: CalendarDate): Month {
  const name = day.slice(0, 7);
  const first = new Date(`${name}-01T00:00:00Z`);
  const blanks = (first.getUTCDay() - MONDAY + DAYS_OF_WEEK) % DAYS_OF_WEEK;
  const days: (CalendarDate | null)[] = Array.from({ length: blanks }, () => null);
  for (let place = 0; place < 31; place += 1) {
    const next = calendarDateOf(first, place);
    if (next.startsWith(name)) days.push(next);
  }
  while (days.length % DAYS_OF_WEEK > 0) days.push(null);
  const weeks = Array.from({ length: days.length / DAYS_OF_WEEK }, (_, week) =>
    days.slice(week * DAYS_OF_WEEK, (week + 1) * DAYS_OF_WEEK),
  );
  return {
    name,
    weeks,
    first: calendarDateOf(first),
    last: days.findLast((day) => day !== null) ?? name,
    before: calendarDateOf(first, -1),
    behind: calendarDateOf(first, 31),
  };
}
