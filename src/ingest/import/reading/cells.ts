import { type DomainName, judgeDomainName } from '../../../domains/name/domain-name.js';
import { MAX_WAYBACK } from '../../../domains/schema/domain.js';
import { quoted } from './import-error.js';
import { type CalendarDate, isCalendarDate } from '../../../domains/schema/calendar-date.js';

/** .au was delegated on 5 March 1986; no name under it can have dropped before. */
const EARLIEST_DROP: CalendarDate = '1986-03-05';

/** @returns the name, or why it cannot be imported */
export function readDomain(text: string | undefined, isVouched = false): DomainName | string {
  const judgement = judgeDomainName(text);
  if (!judgement.ok) return judgement.message;
  // A reserved name cannot be registered. A held name is listed, as its hold ends; a vouch for it is not believed.
  const { reserved } = judgement.domain;
  const isRejected = reserved && (reserved.reason !== 'contested' || isVouched);
  return isRejected ? `domain is reserved: ${reserved.reason}` : judgement.domain;
}

/** @returns the score, null for an empty cell, or the fault as text */
export function readWayback(text: string): number | null | string {
  if (text === '') return null;
  const wayback = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (wayback <= MAX_WAYBACK) return wayback;
  return `wayback must be a whole number from 0 to ${MAX_WAYBACK}, not ${quoted(text)}`;
}

/** The fault of the day as text, or null. @param latest the last plausible day */
export function faultOfDate(column: string, text: string, latest: CalendarDate): string | null {
  if (!isCalendarDate(text)) return `${column} must be an existing day as YYYY-MM-DD, not ${quoted(text)}`;
  if (text > latest) return `${column} ${text} lies in the future`;
  if (text < EARLIEST_DROP) return `${column} ${text} is before .au existed (${EARLIEST_DROP})`;
  return null;
}

const FLAGS: Readonly<Record<string, boolean>> = {
  true: true,
  false: false,
  '1': true,
  '0': false,
  yes: true,
  no: false,
};

/** @returns the flag, null for an empty cell, or the fault as text */
export function readFlag(text: string): boolean | null | string {
  if (text === '') return null;
  const flag = text.toLowerCase();
  return Object.hasOwn(FLAGS, flag)
    ? (FLAGS[flag] ?? null)
    : `hidden must be true or false, not ${quoted(text)}`;
}
