/** One row a day: the archive's first day was in 1996, so this holds for many years to come. */
export const MAX_CDX_ROWS = 20_000;
/** Room for that many rows, which have about 27 bytes each. */
export const MAX_CDX_BYTES = 1024 * 1024;

/** The fields asked for, in this order. */
export const CDX_FIELDS = ['timestamp', 'statuscode'] as const;

/** No page is older than the web. */
const FIRST_YEAR = 1991;
const DAY_MS = 86_400_000;

/**
 * Reads the body of a CDX server, JSON (with or without its header row) or text. Only JSON can say that there are no
 * captures: an empty text is also what a server sends that fails, or that hides a site.
 *
 * @param now captures later than a day from now are no captures
 */
export function readCdxAnswer(body: string, now: Date): Captures | Unreadable {
  const text = body.trim();
  if (text === '') return unreadable('empty');
  return text.startsWith('[') ? readJson(text, now) : readText(body, now);
}

function readJson(text: string, now: Date): Captures | Unreadable {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return unreadable(text.endsWith(']') ? 'not_understood' : 'cut_off');
  }
  if (!Array.isArray(parsed) || !parsed.every(isRow)) return unreadable('not_understood');
  const [first] = parsed;
  const isHeaded = first !== undefined && first.includes(CDX_FIELDS[0]);
  const places = CDX_FIELDS.map((field, place) => (isHeaded ? first.indexOf(field) : place));
  if (places.includes(-1)) return unreadable('not_understood');
  const rows = isHeaded ? parsed.slice(1) : parsed;
  return judgeRows(
    rows.map((row) => places.map((place) => row[place] ?? '')),
    now,
  );
}

function readText(body: string, now: Date): Captures | Unreadable {
  const lines = body.trim().split(/\r?\n/);
  const rows = lines.map((line) => line.split(' '));
  // A page or an exception is not a truncated list of captures.
  if (!/^\d{8,14} /.test(lines[0] ?? '')) return unreadable('not_understood');
  return body.endsWith('\n') ? judgeRows(rows, now) : unreadable('cut_off');
}

/** A few rows without a day happen; an answer in which they are most of it is no answer. */
function judgeRows(rows: readonly (readonly string[])[], now: Date): Captures | Unreadable {
  if (rows.length > MAX_CDX_ROWS) return unreadable('too_large');
  const captures = rows.map((row) => readRow(row, now)).filter((capture) => capture !== null);
  const ignored = rows.length - captures.length;
  return ignored > captures.length ? unreadable('not_understood') : { captures, ignored };
}

function readRow([timestamp = '', status = '']: readonly string[], now: Date): Capture | null {
  const day = readDay(timestamp, now);
  return day !== null && /^(\d{3}|-)$/.test(status) ? { day, status } : null;
}

/**
 * The day of a timestamp (YYYYMMDDhhmmss). Some have `00` for the month or the day; the first stands for those: it is
 * a capture, and at most one day too many.
 */
function readDay(timestamp: string, now: Date): string | null {
  const [, year = '', month = '', date = ''] = /^(\d{4})(\d{2})(\d{2})(\d{6})?$/.exec(timestamp) ?? [];
  const day = [year, month === '00' ? '01' : month, date === '00' ? '01' : date].join('-');
  const moment = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(moment) || Number(year) < FIRST_YEAR || moment > now.getTime() + DAY_MS) return null;
  // Date.parse takes 31 February for a day in March.
  return new Date(moment).toISOString().startsWith(day) ? day : null;
}

function isRow(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((cell) => typeof cell === 'string');
}

function unreadable(reason: UnreadableReason): Unreadable {
  return { unreadable: reason };
}

/**
 * One row of the archive's answer: a day (UTC, YYYY-MM-DD) on which it captured the home page, and what the server
 * said.
 */
export interface Capture {
  readonly day: string;
  /** Three digits, or `-` for a revisit: a capture that was the same as an earlier one. */
  readonly status: string;
}

/** What an answer holds when it can be believed. No captures: the archive said that there are none. */
export interface Captures {
  readonly captures: readonly Capture[];
  /** Rows left out because no day can be read from them. */
  readonly ignored: number;
}

export type UnreadableReason = 'empty' | 'cut_off' | 'not_understood' | 'too_large';

/** An answer that says nothing. It is never a score of 0. */
export interface Unreadable {
  readonly unreadable: UnreadableReason;
}
