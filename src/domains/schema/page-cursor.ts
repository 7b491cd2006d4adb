import { createHash } from 'node:crypto';
import { type Type, applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsISO8601, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { timeOfDatabase } from '../../db/database-time.js';
import { ALONE, isCursorAlone, validationPipe } from '../../errors/validation.pipe.js';
import { IntegerParameter } from '../../validation/shape.js';
import { boundsOfDay, DAY_WORDS, dayOfWord } from './calendar-date.js';

/** What a cursor remembers: the sort values of the last row handed out. */
export type CursorPosition = readonly (string | number | null)[];

const CHECK_LENGTH = 12;
/** With every filter that a search has, as long as they can be, a cursor has some 2,070 characters. */
export const MAX_CURSOR_LENGTH = 2_304;

/**
 * Writes a position down as opaque text that fits one query only.
 *
 * The check is a checksum, not a signature: it catches a cursor that was shortened, mistyped or carried to another
 * query. Nothing is gained by forging one, since every position is one that the caller may ask for anyway; but a
 * forged one can hold anything, so every reader of a cursor validates its content.
 *
 * @param query what the position belongs to, in a stable spelling
 */
export function writeCursor(query: string, position: CursorPosition): string {
  const text = JSON.stringify(position);
  return Buffer.from(`${checkOf(query, text)}${text}`).toString('base64url');
}

/** A page of a list, and where the next one begins. */
export interface Page<Row> {
  readonly rows: Row[];
  readonly has_more: boolean;
  /** Null on the last page. */
  readonly next_cursor: string | null;
}

/** @param found one row more than asked for, where there is one: it tells that there are more */
export function pageOf<Row>(
  found: readonly Row[],
  limit: number,
  cursorBehind: (last: Row) => string,
): Page<Row> {
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return { rows, has_more: last !== undefined, next_cursor: last ? cursorBehind(last) : null };
}

/** @returns the position, or null when the cursor is not one of this query's */
export function readCursor(query: string, cursor: string): CursorPosition | null {
  const [check, body] = partsOf(cursor);
  return check === checkOf(query, body) ? parsePosition(body) : null;
}

/** The position in a cursor, of any query. */
export function positionIn(cursor: string): CursorPosition | null {
  return parsePosition(partsOf(cursor)[1]);
}

function partsOf(cursor: string): [check: string, body: string] {
  if (cursor.length > MAX_CURSOR_LENGTH || !/^[\w-]+$/.test(cursor)) return ['', ''];
  const text = Buffer.from(cursor, 'base64url').toString();
  return [text.slice(0, CHECK_LENGTH), text.slice(CHECK_LENGTH)];
}

/** Whether a cursor holds a whole number within these limits. */
export function isIntegerFrom(min: number, max: number, value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

/** Whether a cursor holds what PostgreSQL can compare with names. */
export function isNameText(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z0-9.-]{1,255}$/.test(value);
}

function checkOf(query: string, text: string): string {
  return createHash('sha256').update(`${query}\n${text}`).digest('base64url').slice(0, CHECK_LENGTH);
}

function parsePosition(text: string): CursorPosition | null {
  try {
    const position: unknown = JSON.parse(text);
    return Array.isArray(position) ? position : null;
  } catch {
    return null;
  }
}

/** Parameters of one page, which cursors do not keep. */
const OF_ONE_PAGE = ['cursor', 'page', 'since', 'after'];
const KEPT = /^[a-z_]+=/;

interface Paged {
  cursor?: string;
}

const pipe = validationPipe();

/**
 * The parameters as the last part of a cursor, so that the next page needs the cursor alone.
 *
 * @returns the parameters that are not as they are when left out, as in an address; nothing where there are none
 */
export function keptParameters<Query extends Paged>(query: Query, shape: Type<Query>): [] | [string] {
  const usual = new Map(Object.entries(new shape()).map(([name, value]) => [name, textOf(value)]));
  const kept = Object.entries(query).flatMap(([name, value]: [string, unknown]) =>
    value === undefined || OF_ONE_PAGE.includes(name) || usual.get(name) === textOf(value)
      ? []
      : [[name, textOf(value)] as [string, string]],
  );
  return kept.length === 0 ? [] : [new URLSearchParams(kept).toString()];
}

/** A parameter as an address has it: a list with commas. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
}

/**
 * The query as it was when its cursor was made, where nothing but the cursor, and perhaps the size of the page, was
 * sent; else as it was sent. What the cursor says is judged as if it had been sent.
 *
 * @throws {ApiError} invalid_parameter
 */
export async function resumeQuery<Query extends Paged>(query: Query, shape: Type<Query>): Promise<Query> {
  const kept = query.cursor !== undefined && isCursorAlone(query) ? positionIn(query.cursor)?.at(-1) : null;
  if (typeof kept !== 'string' || !KEPT.test(kept)) return query;
  const given = Object.fromEntries(new URLSearchParams(kept));
  const before = (await pipe.transform(given, { type: 'query', metatype: shape })) as Query;
  const sent = Object.entries(query).filter(([name]) => ALONE.includes(name));
  return Object.assign(before, Object.fromEntries(sent.filter(([, value]) => value !== undefined)));
}

/** The parameter `cursor`. @param from what gave it out, such as `page` */
export function Cursor(from: string, description: string): PropertyDecorator {
  const rule = { message: `cursor must be the next_cursor of an earlier ${from}` };
  return applyDecorators(
    ApiPropertyOptional({ description, type: String, maxLength: MAX_CURSOR_LENGTH }),
    IsOptional(),
    IsString(rule),
    MaxLength(MAX_CURSOR_LENGTH, rule),
  );
}

/** Of lists that cost no records. */
export const MAX_LISTED = 100;
export const USUALLY_LISTED = 25;

/** The parameter `limit` of such a list: 1 to {@link MAX_LISTED}. */
export function PageLimit(description: string): PropertyDecorator {
  return IntegerParameter(1, MAX_LISTED, description, { default: USUALLY_LISTED, example: USUALLY_LISTED });
}

const RULE = {
  message:
    '$property must be an ISO 8601 time from 1970 on with its offset (at most 14:00), such as ' +
    `2026-11-20T00:00:00Z or 2026-11-20T11:00:00+11:00; or one of ${DAY_WORDS} (AEST)`,
};

/** A parameter that is a moment: ISO 8601 with an offset. PostgreSQL reads what it lets through, to the microsecond. */
export function Moment(description: string, example: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      description: `${description} Also ${DAY_WORDS}: the first moment of that day (AEST).`,
      ...{ type: String, format: 'date-time', example },
    }),
    IsOptional(),
    Transform(({ value }: { value: unknown }) => {
      const day = dayOfWord(value, 'AEST', timeOfDatabase());
      if (day !== null) return boundsOfDay(day).from.toISOString();
      // A plus sign that was not percent-encoded arrives as a space, and there it can be nothing else.
      return typeof value === 'string' ? value.replace(/ (?=\d\d:?\d\d$)/, '+') : value;
    }),
    IsISO8601({ strict: true, strictSeparator: true }, RULE),
    // The widest offset on earth is 14 hours; PostgreSQL takes less than 16.
    Matches(
      /^(19[7-9]|[2-9]\d\d)\d-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-](0\d|1[0-3]):[0-5]\d|[+-]14:00)$/,
      RULE,
    ),
  );
}
