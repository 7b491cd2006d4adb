import { SCHEMA_VERSION } from '../../domains/schema/fields.js';
import { type Export, exportIdOf, type ExportKind } from '../export.js';
import { ExportWriter, type Written } from '../files/export-writer.js';
import type { Column } from '../rows/columns.js';
import type { ExportStore } from '../store/export-store.js';
import type { ExportSession } from './export-session.js';

/** What every kind of export is made with. */
export interface Making {
  readonly session: ExportSession;
  readonly store: ExportStore;
  /** The moment that is shown, by the clock of the dataset. */
  readonly madeAt: Date;
  readonly maxPartRows: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** Told of the rows that are read, some at a time. */
  readonly onRows: (rows: number) => void;
}

export function beginWriter<Row>(
  { store, madeAt, maxPartRows }: Making,
  kind: ExportKind,
  columns: readonly Column<Row>[],
): Promise<ExportWriter<Row>> {
  const id = exportIdOf(kind, madeAt);
  return ExportWriter.begin({ folder: store.placeOf(id), id, columns }, maxPartRows);
}

/** What is on record of what was written. @param events the first and the last that it takes account of */
export function exportOf(
  kind: ExportKind,
  madeAt: Date,
  events: { first: number; last: number },
  { rows, files }: Written,
  { base = null, ndjsonSha256 = null }: Partial<Pick<Export, 'base' | 'ndjsonSha256'>>,
): Export {
  return {
    id: exportIdOf(kind, madeAt),
    kind,
    madeAt,
    schemaVersion: SCHEMA_VERSION,
    base,
    firstEvent: events.first,
    lastEvent: events.last,
    rows,
    ndjsonSha256,
    files,
  };
}
