/** `snapshot`: the whole dataset; `diff`: from one snapshot to the next; `changes`: since the file before. */
export const EXPORT_KINDS = ['snapshot', 'diff', 'changes'] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];

/** Most rows of a file: a part is read at once by who works in memory, and is fetched again when it breaks off. */
export const MAX_PART_ROWS = 400_000;

/** The formats, by the end of the file's name, and their media types. Each part is there in all of them. */
export const FORMATS = {
  'ndjson.gz': 'application/gzip',
  'csv.gz': 'application/gzip',
  parquet: 'application/vnd.apache.parquet',
} as const;
export type Format = keyof typeof FORMATS;
export const FORMAT_NAMES = Object.keys(FORMATS) as Format[];

export interface ExportedFile {
  readonly name: string;
  readonly format: Format;
  readonly rows: number;
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/** A finished export. */
export interface Export {
  readonly id: string;
  readonly kind: ExportKind;
  /** The moment that it shows, by the clock of the dataset. */
  readonly madeAt: Date;
  readonly schemaVersion: number;
  /** The snapshot that a diff begins from; null for the other kinds. */
  readonly base: string | null;
  /** The first event that it takes account of; one more than the last where nothing happened. */
  readonly firstEvent: number;
  readonly lastEvent: number;
  readonly rows: number;
  /** Checksum of the uncompressed lines of the snapshot, or of the snapshot that a diff leads to. */
  readonly ndjsonSha256: string | null;
  readonly files: readonly ExportedFile[];
}

/** An export's id, which tells its kind and its second: `snapshot-20261122T050000Z`. */
export function exportIdOf(kind: ExportKind, madeAt: Date): string {
  const second = madeAt.toISOString().slice(0, 19).replaceAll('-', '').replaceAll(':', '');
  return `${kind}-${second}Z`;
}

/** The form of ids; files and folders of this form without an export are deleted. */
export const EXPORT_ID = new RegExp(`^(?:${EXPORT_KINDS.join('|')})-\\d{8}T\\d{6}Z$`);

/** The file's name, which is its own also where files of several exports lie together. @param part from 1 */
export function fileNameOf(id: string, part: number, format: Format): string {
  return `${id}-${String(part).padStart(4, '0')}.${format}`;
}
