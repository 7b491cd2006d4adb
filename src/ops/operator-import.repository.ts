import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../db/database.js';
import type { Import, IMPORT_STATES } from './answers.js';

type ImportDto = InstanceType<typeof Import>;
export type ImportReportDto = NonNullable<ImportDto['report']>;

/** An import that is to begin. */
export interface NewImport {
  readonly id: string;
  readonly file: string;
  readonly bytes: number;
  readonly dryRun: boolean;
  readonly actor: string;
  readonly reason: string;
}

export interface ImportPlace {
  readonly step: string;
  readonly rows: number;
  readonly readBytes: number;
}

/** One that has not been touched for so long has lost its process. */
const LOST_AFTER = '60 seconds';
const MAX_LISTED = 50;
const KEPT = '30 days';

type Row = {
  id: string;
  file: string;
  bytes: number;
  dry_run: boolean;
  by: string;
  reason: string;
  started_at: Date;
  state: (typeof IMPORT_STATES)[number];
  step: string;
  rows: number;
  percent: number;
  problem: string | null;
  report: ImportReportDto | null;
  has_rejects: boolean;
};

const COLUMNS = `id, file, bytes::float8 AS bytes, dry_run, actor AS by, reason, started_at,
  CASE WHEN state = 'running' AND touched_at < clock_timestamp() - interval '${LOST_AFTER}'
       THEN 'interrupted' ELSE state END AS state,
  step, rows::float8 AS rows, floor(100 * read_bytes / greatest(bytes, 1))::int AS percent, problem, report,
  rejects IS NOT NULL AS has_rejects`;

/** Imports on record, so that whichever instance is asked knows how far one is. */
@Injectable()
export class OperatorImportRepository {
  constructor(private readonly database: Database) {}

  /** Forgets old ones as well. @returns whether it may begin: one at a time */
  async begin({ id, file, bytes, dryRun, actor, reason }: NewImport): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      // Of two at once, the second sees the first.
      await transaction.query('LOCK TABLE operator_import IN SHARE ROW EXCLUSIVE MODE');
      const rows = await transaction.query(
        `WITH old AS (DELETE FROM operator_import WHERE started_at < clock_timestamp() - interval '${KEPT}')
       INSERT INTO operator_import (id, file, bytes, dry_run, actor, reason)
       SELECT $1, $2, $3, $4, $5, $6
        WHERE NOT EXISTS (SELECT FROM operator_import
                           WHERE state = 'running' AND touched_at >= clock_timestamp() - interval '${LOST_AFTER}')
       RETURNING id`,
        [id, file, bytes, dryRun, actor, reason],
      );
      return rows.length > 0;
    });
  }

  async touch(id: string, { step, rows, readBytes }: ImportPlace): Promise<void> {
    await this.database.query(
      `UPDATE operator_import SET touched_at = clock_timestamp(), step = $2, rows = $3, read_bytes = $4
        WHERE id = $1 AND state = 'running'`,
      [id, step, rows, readBytes],
    );
  }

  async finish(
    id: string,
    report: ImportReportDto,
    rejects: Buffer | null,
    transaction: Queryable,
  ): Promise<void> {
    await transaction.query(
      `UPDATE operator_import
          SET state = 'done', step = 'done', rows = $4, read_bytes = bytes, report = $2, rejects = $3
        WHERE id = $1`,
      [id, JSON.stringify(report), rejects, report.read],
    );
  }

  async fail(id: string, problem: string, rejects: Buffer | null): Promise<void> {
    await this.database.query(
      `UPDATE operator_import SET state = 'failed', problem = $2, rejects = $3 WHERE id = $1`,
      [id, problem, rejects],
    );
  }

  /** The newest first. */
  async list(): Promise<ImportDto[]> {
    const rows = await this.database.query<Row>(
      `SELECT ${COLUMNS} FROM operator_import ORDER BY started_at DESC, id LIMIT ${MAX_LISTED}`,
    );
    return rows.map(toImport);
  }

  async find(id: string): Promise<ImportDto | null> {
    const [row] = await this.database.query<Row>(`SELECT ${COLUMNS} FROM operator_import WHERE id = $1`, [
      id,
    ]);
    return row ? toImport(row) : null;
  }

  /** CSV, packed with gzip. */
  async readRejects(id: string): Promise<Buffer | null> {
    const [row] = await this.database.query<{ rejects: Buffer | null }>(
      'SELECT rejects FROM operator_import WHERE id = $1',
      [id],
    );
    return row?.rejects ?? null;
  }
}

function toImport(row: Row): ImportDto {
  return { ...row, started_at: row.started_at.toISOString() };
}
