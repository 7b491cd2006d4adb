import { copyFields } from './copy-text.js';

/** A name as files have it: every field of the API but those that change by themselves (age_days) and the links. */
export interface ExportedName {
  readonly domain: string;
  readonly tld: string;
  readonly length: number;
  readonly wayback: number;
  readonly first_seen: string | null;
  readonly available: boolean;
  readonly hyphens: number;
  readonly numbers: number;
  readonly dropped_at: string | null;
  readonly state: string;
  readonly confirmed: boolean;
  readonly confirmed_by: string | null;
  readonly checked_at: string | null;
  readonly list_kind: string | null;
  readonly listed_at: string | null;
  readonly purge_at: string | null;
  readonly archive: {
    readonly status: string;
    readonly first_capture: string | null;
    readonly last_capture: string | null;
    readonly captures: number | null;
  };
}

/** An event as diffs name it. */
export interface ExportedEvent {
  readonly number: number;
  readonly type: string;
  readonly timestamp: string;
}

/** The columns behind the name that {@link readCopyRow} reads, in its order; the session's time zone is UTC. */
export const COPY_FIELDS = `domain.tld, domain.length, domain.wayback, domain.first_seen, domain.available,
  domain.hyphens, domain.digits, domain.dropped_at, domain.state, domain.confirmed_by, domain.checked_at, domain.list_kind,
  domain.listed_at, domain.purge_at, domain.archive_status, domain.archive_first_capture, domain.archive_last_capture,
  domain.archive_captures`;
export const COPY_COLUMNS = `domain.domain, ${COPY_FIELDS}`;

/**
 * The events of a name in one text: `40213 domain.dropped 2026-11-18 03:01:12+00`, separated by commas. That it was withheld meanwhile is not
 * among them: it is here, or it is not.
 */
export const COPY_EVENTS = `string_agg(number || ' ' || type || ' ' || occurred_at, ',' ORDER BY number)
  FILTER (WHERE type NOT IN ('domain.removed', 'domain.restored'))`;

/** The name of a line whose other columns are empty: it is not shown any more. Null: the line is a name that is shown. */
export function withheldIn(line: string): string | null {
  const [domain, tld] = copyFields(line);
  return tld === null ? textOf(domain) : null;
}

/** A name and its events, of a line that COPY wrote of the columns above. */
export function readCopyRow(line: string): { row: ExportedName; events: readonly ExportedEvent[] } {
  const fields = copyFields(line);
  const [domain, tld, length, wayback, firstSeen = null, available, hyphens, digits, ...rest] = fields;
  const [droppedAt, state, confirmedBy = null, checkedAt, listKind = null, listedAt, purgeAt, ...last] = rest;
  const [status, firstCapture = null, lastCapture = null, captures, events = null] = last;
  const row = {
    domain: textOf(domain),
    tld: textOf(tld),
    length: Number(length),
    wayback: Number(wayback),
    first_seen: firstSeen,
    available: available === 't',
    hyphens: Number(hyphens),
    numbers: Number(digits),
    dropped_at: timeOf(droppedAt),
    state: textOf(state),
    confirmed: confirmedBy !== null,
    confirmed_by: confirmedBy,
    checked_at: confirmedBy === null ? null : timeOf(checkedAt),
    list_kind: listKind,
    listed_at: timeOf(listedAt),
    purge_at: timeOf(purgeAt),
    archive: {
      status: textOf(status),
      first_capture: firstCapture,
      last_capture: lastCapture,
      captures: captures == null ? null : Number(captures),
    },
  };
  return { row, events: events === null ? NO_EVENTS : events.split(',').map(eventOf) };
}

const NO_EVENTS: readonly ExportedEvent[] = [];

function eventOf(text: string): ExportedEvent {
  const [number, type, ...time] = text.split(' ');
  const timestamp = timeOf(time.join(' '));
  if (timestamp === null) throw new Error(`an event without a time: ${text}`);
  return { number: Number(number), type: textOf(type), timestamp };
}

function textOf(field: string | null | undefined): string {
  if (field == null) throw new Error('a column that must have a value has none');
  return field;
}

const TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/;

/** `2026-11-18 03:01:12.1234+00` as the API has it: milliseconds, what is finer cut off. */
function timeOf(field: string | null | undefined): string | null {
  if (field == null) return null;
  const match = TIME.exec(field);
  if (!match) throw new Error(`a time that is none: ${field}`);
  const [, day, time, fraction = ''] = match;
  return `${day}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}
