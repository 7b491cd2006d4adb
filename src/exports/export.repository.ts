import type { Queryable } from '../db/database.js';
import type { Export, ExportKind } from './export.js';

/** Behind which export a list goes on. */
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

/** The rows of finished exports. */
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
