import { pipeline, type Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';
import { toKnownName } from '../domains/schema/domain-row.js';
import { viewOf } from '../domains/schema/domain-view.js';
import { type EventWord, eventWordOf, typesInDiff } from '../domains/schema/events.js';
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
  wireNameOf,
} from '../domains/schema/fields.js';

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
 * The events of a name in one text: `40213 domain.dropped 2026-11-18 03:01:12+00`, separated by commas. The operator's
 * word is not among them.
 */
export const COPY_EVENTS = `string_agg(number || ' ' || type || ' ' || occurred_at, ',' ORDER BY number)
  FILTER (WHERE type IN (${textsOf(typesInDiff('named'))}))`;

/** Texts as SQL has them; only for words of ours. */
export function textsOf(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}

/** The name of a line whose other columns are empty, which is not shown any more; null for other lines. */
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

/** `2026-11-18 03:01:12.1234+00` as the API has it, cut to milliseconds. */
function timeOf(field: string): string {
  const match = TIME.exec(field);
  if (!match) throw new Error(`a time that is none: ${field}`);
  const [, day, time, fraction = ''] = match;
  return `${day}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

export interface Column<Row> {
  readonly name: string;
  /** `json`: a text of JSON. */
  readonly type: FieldType | 'json';
  readonly nullable: boolean;
  readonly of: (row: Row) => Cell;
}

/** The columns of a snapshot, in the order of the fields; those of the archive are flat. */
export const NAME_COLUMNS = EXPORTED.map(columnOf);

/** The columns of a diff: what happened, and the row as it is now, empty where it is gone. */
export const CHANGE_COLUMNS: readonly Column<NameChange>[] = [
  { name: 'change', type: 'text', nullable: false, of: ({ change }) => change },
  { name: 'events', type: 'json', nullable: false, of: ({ events }) => JSON.stringify(events) },
  { name: 'fields', type: 'text', nullable: true, of: ({ fields }) => fields?.join(' ') ?? null },
  { name: 'domain', type: 'text', nullable: false, of: ({ domain }) => domain },
  ...NAME_COLUMNS.slice(1).map(({ name, type, of }) => ({
    name,
    type,
    nullable: true,
    of: ({ row }: NameChange) => row && of(row),
  })),
];

const COMPARED = EXPORTED.filter((name) => fieldOf(name).except?.diff === undefined).map(columnOf);

export function differingFields(before: ExportedName, after: ExportedName): string[] {
  return COMPARED.filter(({ of }) => of(before) !== of(after)).map(({ name }) => name);
}

function columnOf(name: ExportedField): Column<ExportedName> {
  const { type, nullable = false } = fieldOf(name);
  return { name: name.replace('.', '_'), type, nullable, of: readingOf(name) };
}

function readingOf(name: ExportedField): (row: ExportedName) => Cell {
  if (!isArchiveField(name)) return (row) => row[name];
  const key = wireNameOf(name);
  return ({ archive }) => archive[key];
}

/** Changes of names without an event; `removed`: not shown any more. */
type Unnamed = 'added' | 'changed' | 'removed';
/** The last event of the name, or what became of it without one. */
export type Change = EventWord | Unnamed;

/** A line of a diff. The row comes last, so that its bytes can be cut out. */
export interface NameChange {
  readonly domain: string;
  readonly change: Change;
  /** Those between the two snapshots, oldest first; none of a name that is not shown any more. */
  readonly events: readonly ExportedEvent[];
  /** The columns that differ; empty for new and removed names, null where nothing was compared. */
  readonly fields: readonly string[] | null;
  /** The name as it is now; null: it is to be left out. */
  readonly row: ExportedName | null;
}

const NAMED = typesInDiff('named');

/** What a name with these events is called in a diff. @param otherwise for one without */
export function changeOf(events: readonly ExportedEvent[], otherwise: Unnamed): Change {
  const last = events.at(-1);
  if (!last) return otherwise;
  const type = NAMED.find((one) => one === last.type);
  if (!type) throw new Error(`an event of an unknown type: ${last.type}`);
  return eventWordOf(type);
}

export function removalOf(domain: string): NameChange {
  return { domain, change: 'removed', events: [], fields: [], row: null };
}

/** The lines of a stream of text, as many at a time as its chunks have. */
/** A name with all its fields and the events of a day has some thousands. */
const MAX_LINE_LENGTH = 16 * 1024 * 1024;

export async function* linesOf(source: AsyncIterable<Buffer>): AsyncGenerator<string[], void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of source) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_LENGTH)
      throw new Error(`a line has more than ${MAX_LINE_LENGTH} characters: this is no file of names`);
    if (lines.length > 0) yield lines;
  }
  if (rest !== '') throw new Error('a text of lines breaks off in the middle of one');
}

export function unpackedLines(packed: Readable): AsyncGenerator<string[], void> {
  // The reader of the lines gets the errors of both streams.
  return linesOf(pipeline(packed, createGunzip(), () => undefined));
}

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** The fields of a line that COPY wrote in its text format. */
export function copyFields(line: string): (string | null)[] {
  const fields: (string | null)[] = line.split('\t');
  if (!line.includes('\\')) return fields;
  return fields.map((field) => {
    if (field === '\\N') return null;
    return field?.replace(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter) ?? null;
  });
}

/** A line that begins with its name, as snapshots and diffs have them. */
export interface NamedLine {
  readonly domain: string;
  readonly text: string;
}

const BEGINNING = '{"domain":"';

export class SortedLines {
  private lines: string[] = [];
  private place = 0;
  private last = '';
  private head: NamedLine | null = null;

  /** @param batches of lines; see linesOf */
  constructor(private readonly batches: AsyncGenerator<string[], void>) {}

  /** The next line, which stays the next one until it is passed; null behind the last. */
  peek(): NamedLine | null | Promise<NamedLine | null> {
    if (this.head) return this.head;
    const text = this.lines[this.place];
    if (text === undefined) return this.refill();
    this.head = { domain: this.domainOf(text), text };
    return this.head;
  }

  pass(): void {
    this.head = null;
    this.place += 1;
  }

  async end(): Promise<void> {
    await this.batches.return();
  }

  private async refill(): Promise<NamedLine | null> {
    const { done, value } = await this.batches.next();
    if (done) return null;
    this.lines = value;
    this.place = 0;
    return this.peek();
  }

  private domainOf(text: string): string {
    const end = text.indexOf('"', BEGINNING.length);
    if (!text.startsWith(BEGINNING) || end === -1) throw new Error('a line does not begin with its name');
    const domain = text.slice(BEGINNING.length, end);
    if (domain <= this.last)
      throw new Error(`${domain} stands behind ${this.last}: the lines are not sorted`);
    this.last = domain;
    return domain;
  }
}
