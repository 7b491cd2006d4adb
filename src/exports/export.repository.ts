import type { Queryable } from '../db/database.js';

export interface ExportPlace {
  readonly madeAt: Date;
  readonly id: string;
}

type Row = Omit<Export, 'firstEvent' | 'lastEvent' | 'rows'> & {
  firstEvent: string;
  lastEvent: string;
  rows: string;
};

const COLUMNS = `id, kind, made_at AS "madeAt", schema_version AS "schemaVersion", base, first_event AS "firstEvent",
  last_event AS "lastEvent", rows, ndjson_sha256 AS "ndjsonSha256", files`;

export class ExportRepository {
  constructor(private readonly database: Queryable) {}

  async find(id: string): Promise<Export | null> {
    const [row] = await this.database.query<Row>(`SELECT ${COLUMNS} FROM export WHERE id = $1`, [id]);
    return row ? toExport(row) : null;
  }

  /** Newest first. @param kind null: all kinds */
  async list(kind: ExportKind | null, after: ExportPlace | null, limit: number): Promise<Export[]> {
    const rows = await this.database.query<Row>(
      `SELECT ${COLUMNS} FROM export
        WHERE ($1::text IS NULL OR kind = $1) AND ($2::timestamptz IS NULL OR (made_at, id) < ($2, $3::text))
        ORDER BY made_at DESC, id DESC LIMIT $4`,
      [kind, after?.madeAt, after?.id, limit],
    );
    return rows.map(toExport);
  }

  /** Whether the account exists and is not disabled. */
  async hasAccount(id: string): Promise<boolean> {
    const rows = await this.database.query(
      'SELECT FROM account WHERE id = $1::uuid AND disabled_at IS NULL',
      [id],
    );
    return rows.length > 0;
  }

  async findLast(kind: ExportKind): Promise<Export | null> {
    const [last] = await this.list(kind, null, 1);
    return last ?? null;
  }

  async listIds(): Promise<string[]> {
    return (await this.database.query<{ id: string }>('SELECT id FROM export')).map(({ id }) => id);
  }

  async insert(made: Export): Promise<void> {
    await this.database.query(
      `INSERT INTO export (id, kind, made_at, schema_version, base, first_event, last_event, rows, ndjson_sha256, files)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        made.id,
        made.kind,
        made.madeAt,
        made.schemaVersion,
        made.base,
        made.firstEvent,
        made.lastEvent,
        made.rows,
        made.ndjsonSha256,
        JSON.stringify(made.files),
      ],
    );
  }

  /** Deletes all but the last snapshots, and other exports from before a time. @returns their ids */
  async deleteOld(keptSnapshots: number, othersBefore: Date): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `DELETE FROM export
        WHERE (kind <> 'snapshot' AND made_at < $2)
           OR id IN (SELECT id FROM export WHERE kind = 'snapshot' ORDER BY made_at DESC, id DESC OFFSET $1)
       RETURNING id`,
      [keptSnapshots, othersBefore],
    );
    return rows.map(({ id }) => id);
  }
}

function toExport(row: Row): Export {
  return {
    ...row,
    firstEvent: Number(row.firstEvent),
    lastEvent: Number(row.lastEvent),
    rows: Number(row.rows),
  };
}

/** `snapshot`: the whole dataset; `diff`: from one snapshot to the next; `changes`: since the file before. */
export const EXPORT_KINDS = ['snapshot', 'diff', 'changes'] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];

/** Most rows of a file: a part is read at once by who works in memory, and is fetched again when it breaks off. */
export const MAX_PART_ROWS = 400_000;

/** Other users of the machine cannot read an export. */
export const FILE_MODE = 0o640;

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
