import type { ExportedName } from './exported-name.js';
import type { NameChange } from './name-change.js';

export type Cell = string | number | boolean | null;

/** A column of the flat formats, CSV and Parquet. */
export interface Column<Row> {
  readonly name: string;
  /** `date`: YYYY-MM-DD; `time`: ISO 8601 in UTC; `json`: a text of JSON. */
  readonly type: 'text' | 'integer' | 'boolean' | 'date' | 'time' | 'json';
  readonly nullable: boolean;
  readonly of: (row: Row) => Cell;
}

/** The columns of a snapshot, in the order of the fields; those of the archive are flat. */
export const NAME_COLUMNS: readonly Column<ExportedName>[] = [
  { name: 'domain', type: 'text', nullable: false, of: (row) => row.domain },
  { name: 'tld', type: 'text', nullable: false, of: (row) => row.tld },
  { name: 'length', type: 'integer', nullable: false, of: (row) => row.length },
  { name: 'wayback', type: 'integer', nullable: false, of: (row) => row.wayback },
  { name: 'first_seen', type: 'date', nullable: true, of: (row) => row.first_seen },
  { name: 'available', type: 'boolean', nullable: false, of: (row) => row.available },
  { name: 'hyphens', type: 'integer', nullable: false, of: (row) => row.hyphens },
  { name: 'numbers', type: 'integer', nullable: false, of: (row) => row.numbers },
  { name: 'dropped_at', type: 'time', nullable: true, of: (row) => row.dropped_at },
  { name: 'state', type: 'text', nullable: false, of: (row) => row.state },
  { name: 'confirmed', type: 'boolean', nullable: false, of: (row) => row.confirmed },
  { name: 'confirmed_by', type: 'text', nullable: true, of: (row) => row.confirmed_by },
  { name: 'checked_at', type: 'time', nullable: true, of: (row) => row.checked_at },
  { name: 'list_kind', type: 'text', nullable: true, of: (row) => row.list_kind },
  { name: 'listed_at', type: 'time', nullable: true, of: (row) => row.listed_at },
  { name: 'purge_at', type: 'time', nullable: true, of: (row) => row.purge_at },
  { name: 'archive_status', type: 'text', nullable: false, of: ({ archive }) => archive.status },
  { name: 'archive_first_capture', type: 'date', nullable: true, of: ({ archive }) => archive.first_capture },
  { name: 'archive_last_capture', type: 'date', nullable: true, of: ({ archive }) => archive.last_capture },
  { name: 'archive_captures', type: 'integer', nullable: true, of: ({ archive }) => archive.captures },
];

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

/** Names of the columns in which two rows differ. */
export function differingFields(before: ExportedName, after: ExportedName): string[] {
  return NAME_COLUMNS.filter(({ of }) => of(before) !== of(after)).map(({ name }) => name);
}
