import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../db/database.js';

/** What went wrong, told on the status page. */
export interface Incident {
  readonly id: string;
  readonly title: string;
  /** What happened and whom it touched, as text. */
  readonly words: string;
  readonly beganAt: Date;
  /** Null: it is not over. */
  readonly endedAt: Date | null;
  readonly updatedAt: Date;
}

/** A change by an operator. A property that is left out stays. */
export interface IncidentChange {
  readonly title?: string | undefined;
  readonly words?: string | undefined;
  readonly endedAt?: Date | undefined;
}

/** The longest list. */
export const MAX_INCIDENTS = 100;

const COLUMNS = `id, title, words, began_at AS "beganAt", ended_at AS "endedAt", updated_at AS "updatedAt"`;

/** All SQL on incidents. Times are PostgreSQL's. */
@Injectable()
export class IncidentRepository {
  constructor(private readonly database: Database) {}

  /** The newest first. */
  async list(limit = MAX_INCIDENTS): Promise<Incident[]> {
    return this.database.query<Incident & Record<string, unknown>>(
      `SELECT ${COLUMNS} FROM incident ORDER BY began_at DESC, id LIMIT $1`,
      [limit],
    );
  }

  /** Open incidents, and incidents that ended within these days. The newest first. */
  async listRecent(days: number, limit: number): Promise<Incident[]> {
    return this.database.query<Incident & Record<string, unknown>>(
      `SELECT ${COLUMNS} FROM incident
        WHERE coalesce(ended_at, 'infinity') > clock_timestamp() - $1 * interval '1 day'
        ORDER BY began_at DESC, id LIMIT $2`,
      [days, limit],
    );
  }

  async find(id: string): Promise<Incident | null> {
    const [incident] = await this.database.query<Incident & Record<string, unknown>>(
      `SELECT ${COLUMNS} FROM incident WHERE id = $1`,
      [id],
    );
    return incident ?? null;
  }

  /** @param beganAt now without it. @returns null for a beginning that lies ahead */
  async add(
    { title, words, beganAt }: Pick<Incident, 'title' | 'words'> & { readonly beganAt: Date | undefined },
    transaction: Queryable,
  ): Promise<Incident | null> {
    const [incident] = await transaction.query<Incident & Record<string, unknown>>(
      `INSERT INTO incident (title, words, began_at, updated_at)
       SELECT $1, $2, coalesce($3::timestamptz, now()), now() WHERE coalesce($3::timestamptz, now()) <= now()
       RETURNING ${COLUMNS}`,
      [title, words, beganAt ?? null],
    );
    return incident ?? null;
  }

  /** @returns null where there is none, or where it would end before it began or in the future */
  async change(
    id: string,
    { title, words, endedAt }: IncidentChange,
    transaction: Queryable,
  ): Promise<Incident | null> {
    const [incident] = await transaction.query<Incident & Record<string, unknown>>(
      `UPDATE incident
          SET title = coalesce($2, title), words = coalesce($3, words), ended_at = coalesce($4, ended_at),
              updated_at = now()
        WHERE id = $1 AND ($4::timestamptz IS NULL OR $4 BETWEEN began_at AND now())
        RETURNING ${COLUMNS}`,
      [id, title ?? null, words ?? null, endedAt ?? null],
    );
    return incident ?? null;
  }

  /** @returns whether there was one */
  async remove(id: string, transaction: Queryable): Promise<boolean> {
    const rows = await transaction.query('DELETE FROM incident WHERE id = $1 RETURNING id', [id]);
    return rows.length > 0;
  }
}
