import {
  ARCHIVE,
  type ArchiveField,
  EXPORTED,
  type ExportedField,
  fieldOf,
  type FieldType,
  isArchiveField,
  type ShapeOf,
  STORED,
  type StoredField,
  type StoredRow,
} from '../../domains/schema/fields.js';
import { toKnownName } from '../../domains/schema/domain-row.js';
import { viewOf } from '../../domains/schema/domain-view.js';
import { copyFields } from './copy-text.js';
import { typesInDiff } from '../../domains/schema/events.js';

export type Cell = string | number | boolean | null;

type PlainField = Exclude<ExportedField, ArchiveField>;
const PLAIN = EXPORTED.filter((name): name is PlainField => !isArchiveField(name));
const plain = viewOf(PLAIN);
const archive = viewOf(ARCHIVE);

/** A name as files have it: the fields that need nothing but the row. */
export type ExportedName = ShapeOf<PlainField> & { archive: ShapeOf<ArchiveField> };

/** An event as diffs name it. */
export interface ExportedEvent {
  readonly number: number;
  readonly type: string;
  readonly timestamp: string;
}

const COPIED: readonly StoredField[] = ['domain', ...STORED.filter((name) => name !== 'domain')];
const READERS = COPIED.map((name) => {
  const { column = '', type, nullable } = fieldOf(name);
  return { column, read: (text: string | null) => (nullable && text === null ? null : cellOf(type, text)) };
});
const columns = READERS.map(({ column }) => `domain.${column}`);
/** The columns behind the name that {@link readCopyRow} reads, in its order; the session's time zone is UTC. */
export const COPY_FIELDS = columns.slice(1).join(', ');
export const COPY_COLUMNS = columns.join(', ');

/**
 * The events of a name in one text: `40213 domain.dropped 2026-11-18 03:01:12+00`, separated by commas. That it was withheld
 * meanwhile is not among them: it is here, or it is not.
 */
export const COPY_EVENTS = `string_agg(number || ' ' || type || ' ' || occurred_at, ',' ORDER BY number)
  FILTER (WHERE type IN (${textsOf(typesInDiff('named'))}))`;

/** Texts as SQL has them; only for words of ours. */
export function textsOf(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}

/** The name of a line whose other columns are empty: it is not shown any more. Null: the line is a name that is shown. */
export function withheldIn(line: string): string | null {
  const [domain, tld] = copyFields(line);
  return tld === null ? textOf(domain) : null;
}

/** A name and its events, of a line that COPY wrote of the columns above. */
export function readCopyRow(line: string): { row: ExportedName; events: readonly ExportedEvent[] } {
  const fields = copyFields(line);
  const stored: Record<string, Cell> = {};
  for (const [place, { column, read }] of READERS.entries()) stored[column] = read(fields[place] ?? null);
  const name = toKnownName(stored as StoredRow<string>);
  const events = fields[READERS.length] ?? null;
  return {
    row: Object.assign(plain(name), { archive: archive(name) }),
    events: events === null ? NO_EVENTS : events.split(',').map(eventOf),
  };
}

const NO_EVENTS: readonly ExportedEvent[] = [];

function eventOf(text: string): ExportedEvent {
  const [number, type, ...time] = text.split(' ');
  return { number: Number(number), type: textOf(type), timestamp: timeOf(time.join(' ')) };
}

function cellOf(type: FieldType, text: string | null): Cell {
  if (type === 'integer') return Number(textOf(text));
  if (type === 'boolean') return text === 't';
  return type === 'time' ? timeOf(textOf(text)) : textOf(text);
}

function textOf(field: string | null | undefined): string {
  if (field == null) throw new Error('a column that must have a value has none');
  return field;
}

const TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/;

/** `2026-11-18 03:01:12.1234+00` as the API has it: milliseconds, what is finer cut off. */
function timeOf(field: string): string {
  const match = TIME.exec(field);
  if (!match) throw new Error(`a time that is none: ${field}`);
  const [, day, time, fraction = ''] = match;
  return `${day}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}
