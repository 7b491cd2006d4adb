import {
  EXPORTED,
  type ExportedField,
  fieldOf,
  type FieldType,
  isArchiveField,
  wireNameOf,
} from '../../domains/schema/fields.js';
import type { Cell, ExportedName } from './exported-name.js';
import type { NameChange } from './name-change.js';

/** A column of the flat formats, CSV and Parquet. */
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

/** Names of the columns in which two rows differ. */
export function differingFields(before: ExportedName, after: ExportedName): string[] {
  return COMPARED.filter(({ of }) => of(before) !== of(after)).map(({ name }) => name);
}

function columnOf(name: ExportedField): Column<ExportedName> {
  const { type, nullable = false } = fieldOf(name);
  return { name: name.replace('.', '_'), type, nullable, of: cellOf(name) };
}

function cellOf(name: ExportedField): (row: ExportedName) => Cell {
  if (!isArchiveField(name)) return (row) => row[name];
  const key = wireNameOf(name);
  return ({ archive }) => archive[key];
}
