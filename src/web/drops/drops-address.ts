import { type CalendarDate, isCalendarDate } from '../../domains/schema/calendar-date.js';
import { MAX_WAYBACK } from '../../domains/schema/domain.js';
import type { UpcomingPosition } from '../../domains/feed/upcoming-drop.repository.js';
import { isIntegerFrom, isNameText, readCursor, writeCursor } from '../../domains/schema/page-cursor.js';
import { ApiError } from '../../errors/api-error.js';

export const LISTS = ['due', 'dropped', 'rescued', 'taken'] as const;
export type DropList = (typeof LISTS)[number];

/** Null: the page chooses. */
export interface DropsAddress {
  readonly day: CalendarDate | null;
  readonly list: DropList | null;
  readonly cursor: string | null;
}

export interface DropsPlace {
  readonly page: number;
  readonly after: UpcomingPosition;
}

const FIRST_DAY = '2000-01-01';
const LAST_DAY = '2099-12-31';
const MAX_PAGE = 1_000_000;

/** Ignores other parameters. @throws {ApiError} invalid_parameter */
export function readAddress({ date, list, cursor }: Readonly<Record<string, unknown>>): DropsAddress {
  const day = typeof date === 'string' && date !== '' ? date : null;
  if (day !== null && (!isCalendarDate(day) || day < FIRST_DAY || day > LAST_DAY))
    throw new ApiError('invalid_parameter', 'The date must be a day, such as 2026-11-23.');
  return {
    day,
    list: LISTS.find((one) => one === list) ?? null,
    cursor: typeof cursor === 'string' && cursor !== '' ? cursor : null,
  };
}

export function addressOf(day: CalendarDate, list?: DropList, cursor?: string): string {
  const query = new URLSearchParams({ date: day, ...(list && { list }), ...(cursor && { cursor }) });
  return `/drops?${query.toString()}`;
}

export function cursorOf(day: CalendarDate, list: DropList, { page, after }: DropsPlace): string {
  const { purgeAt, wayback, domain } = after;
  return writeCursor(JSON.stringify(['drops-page', day, list]), [page, purgeAt.getTime(), wayback, domain]);
}

/** @throws {ApiError} invalid_parameter */
export function placeOf(day: CalendarDate, list: DropList, cursor: string): DropsPlace {
  const [page, time, wayback, domain] = readCursor(JSON.stringify(['drops-page', day, list]), cursor) ?? [];
  if (
    !isIntegerFrom(2, MAX_PAGE, page) ||
    !isIntegerFrom(0, Date.parse(`${LAST_DAY}T23:59:59Z`), time) ||
    !isIntegerFrom(0, MAX_WAYBACK, wayback) ||
    !isNameText(domain)
  )
    throw new ApiError(
      'invalid_parameter',
      'This address is not complete. Begin again at the first page of the day.',
    );
  return { page, after: { purgeAt: new Date(time), wayback, domain } };
}
