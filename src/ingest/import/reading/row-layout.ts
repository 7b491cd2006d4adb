import { calendarDateOf } from '../../../domains/schema/calendar-date.js';
import type { PurgeTimes } from '../../../config/config.js';
import type { ListKind } from '../../../config/product.js';
import type { Listing } from '../../../domains/lifecycle/listings/listing.js';
import { faultOfDate, readDomain, readFlag, readWayback } from './cells.js';
import { isPurgeApproximate, purgeTimeOf } from './drop-list.js';
import { ImportError, quoted } from './import-error.js';

/**
 * What a file contains: names on their way to a purge, names, or only additions to names (scores, and whether they are
 * withheld).
 */
export type FileSubject = 'drops' | 'names' | 'scores';

/** What the layout of a file does not say of itself. */
export interface ReadingTerms {
  /** Decides which days lie ahead. */
  readonly now: Date;
  /** Which of the two drop lists it is; null when unknown. */
  readonly kind: ListKind | null;
  readonly purgeTimes?: PurgeTimes | undefined;
  /** Whether a source vouches that the names are free. */
  readonly isVouched?: boolean | undefined;
}

/** How the rows of a file are laid out. */
export interface RowLayout {
  readonly subject: FileSubject;
  /** The place of the cell with the name. */
  readonly nameAt: number;
  /** @returns the listing, or why the row is rejected */
  read(cells: readonly string[]): Listing | string;
}

const COLUMNS = ['domain', 'wayback', 'first_seen', 'hidden'] as const;
type Column = (typeof COLUMNS)[number];

/** The header of auDA's two official drop lists. */
export const DROP_LIST_COLUMNS = ['date', 'eligible purge time', 'domain name'];

/**
 * Recognises the layout by the header: our own columns in any order, or the official drop list's. An unknown column
 * is an error rather than ignored, as a misspelt `wayback` would lose every score without a word.
 *
 * @throws {ImportError} naming the fault of the header
 */
export function rowLayoutOf(header: readonly string[], terms: ReadingTerms): RowLayout {
  const names = header.map((cell) => cell.trim().toLowerCase());
  const { subject, nameAt, read } = sameColumns(names, DROP_LIST_COLUMNS)
    ? dropListLayout(names, terms)
    : ownLayout(names, terms);
  return {
    subject,
    nameAt,
    read: (cells) =>
      cells.length === names.length
        ? read(cells)
        : `the row has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}, the header ${names.length}`,
  };
}

function sameColumns(names: readonly string[], expected: readonly string[]): boolean {
  return names.length === expected.length && expected.every((column) => names.includes(column));
}

function ownLayout(names: readonly string[], { now, isVouched }: ReadingTerms): RowLayout {
  refuseBadHeader(names);
  const place = (column: Column) => names.indexOf(column);
  const [nameAt, waybackAt, firstSeenAt, hiddenAt] = COLUMNS.map(place) as [number, number, number, number];
  // It is tomorrow in Australia for much of the day.
  const latest = calendarDateOf(now, 1);

  const read = (cells: readonly string[]) => {
    const cell = (at: number) => cells[at]?.trim() ?? '';
    const domain = readDomain(cells[nameAt], isVouched);
    if (typeof domain === 'string') return domain;
    const wayback = readWayback(cell(waybackAt));
    if (typeof wayback === 'string') return wayback;
    const firstSeen = cell(firstSeenAt) || null;
    const fault = firstSeen === null ? null : faultOfDate('first_seen', firstSeen, latest);
    if (fault !== null) return fault;
    const hidden = readFlag(cell(hiddenAt));
    if (typeof hidden === 'string') return hidden;
    return { domain, wayback, firstSeen, purgeAt: null, isPurgeApproximate: false, hidden };
  };
  const subject = firstSeenAt === -1 && names.length > 1 ? 'scores' : 'names';
  return { subject, nameAt, read };
}

function refuseBadHeader(names: readonly string[]): void {
  const known = `the columns are ${COLUMNS.join(', ')} (only domain is required)`;
  const unknown = names.filter((name) => !(COLUMNS as readonly string[]).includes(name));
  if (names.length === 1 && /[;\t|]/.test(names[0] ?? ''))
    throw new ImportError(`The header ${quoted(names[0] ?? '')} is not separated by commas; ${known}.`);
  if (!names.includes('domain'))
    throw new ImportError(
      `The first row must be a header with a column "domain"; it is ${quoted(names.join(','))}.`,
    );
  if (unknown.length > 0)
    throw new ImportError(
      `The header has unknown columns: ${unknown.slice(0, 5).map(quoted).join(', ')}; ${known}.`,
    );
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated !== undefined) throw new ImportError(`The header has the column ${quoted(repeated)} twice.`);
}

function dropListLayout(
  names: readonly string[],
  { now, kind, purgeTimes, isVouched }: ReadingTerms,
): RowLayout {
  const [dateAt, timeAt, nameAt] = DROP_LIST_COLUMNS.map((column) => names.indexOf(column)) as [
    number,
    number,
    number,
  ];
  // A list is published the day before its purges.
  const latest = calendarDateOf(now, 2);

  const read = (cells: readonly string[]) => {
    const domain = readDomain(cells[nameAt], isVouched);
    if (typeof domain === 'string') return domain;
    const firstSeen = isoDateOf(cells[dateAt]?.trim() ?? '');
    const fault = faultOfDate('date', firstSeen, latest);
    if (fault !== null) return fault;
    const time = cells[timeAt]?.trim() ?? '';
    if (!TIME.test(time)) return `eligible purge time must be HH:MM:SS, not ${quoted(time)}`;
    const purgeAt = purgeTimeOf(firstSeen, time, kind, purgeTimes);
    const isApproximate = isPurgeApproximate(time, kind, purgeTimes);
    return { domain, wayback: null, firstSeen, purgeAt, isPurgeApproximate: isApproximate, hidden: null };
  };
  return { subject: 'drops', nameAt, read };
}

const TIME = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;

// auDA's page writes 16/12/2021, its files 2021-12-16.
export function isoDateOf(text: string): string {
  const match = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text);
  return match ? `${match[3]}-${match[2]?.padStart(2, '0')}-${match[1]?.padStart(2, '0')}` : text;
}
