import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../db/database.js';
import type { WorkCursor } from './kind.js';

/** The state of one kind of work, over all of its keys. */
export interface JobState {
  readonly name: string;
  /** When the first of its keys is due; in a minute where none waits. */
  readonly nextDue: Date;
  /** When its last run began. */
  readonly lastRunAt: Date | null;
  readonly lastSuccessAt: Date | null;
  /** Since the last success, of the key with the most failures. */
  readonly failures: number;
  readonly lastError: string | null;
  readonly lastErrorAt: Date | null;
  /** Since when a run has been past its deadline, or when one was, where none has succeeded since. */
  readonly overranAt: Date | null;
  /** Of a kind with a single key. */
  readonly cursor: WorkCursor | null;
  /** When an operator paused it; null: it is not paused. */
  readonly pausedAt: Date | null;
  readonly pausedBy: string | null;
  readonly pauseReason: string | null;
  /** When an operator last requested a run. */
  readonly runRequestedAt: Date | null;
}

/** The jobs of the dataset are on or off together; this kind stands for all of them. */
const DATASET_KIND = 'purge';

/** What operators see of all kinds of work, and how they steer them. */
@Injectable()
export class JobStateRepository {
  constructor(private readonly database: Database) {}

  /** Every kind that a process has ever run. */
  async list(): Promise<JobState[]> {
    return this.database.query<JobState & Record<string, unknown>>(
      `SELECT kind AS name,
              coalesce(min(due_at) FILTER (WHERE due_at < 'infinity'), now() + interval '1 minute') AS "nextDue",
              max(last_run_at) AS "lastRunAt", max(last_success_at) AS "lastSuccessAt",
              coalesce(max(failures), 0) AS failures,
              (array_agg(last_error ORDER BY last_error_at DESC NULLS LAST))[1] AS "lastError",
              max(last_error_at) AS "lastErrorAt",
              coalesce(min(deadline_at) FILTER (WHERE holder IS NOT NULL AND deadline_at < now()),
                       max(overran_at)) AS "overranAt",
              (array_agg(cursor) FILTER (WHERE key = '' AND cursor IS NOT NULL))[1] AS cursor,
              paused_at AS "pausedAt", paused_by AS "pausedBy", pause_reason AS "pauseReason",
              wanted_at AS "runRequestedAt"
         FROM work_kind LEFT JOIN work USING (kind) GROUP BY kind ORDER BY kind`,
    );
  }

  /** A process that runs the dataset's jobs; null: none does. */
  async readHolder(now: Date): Promise<{ holder: string; until: Date } | null> {
    const [row] = await this.database.query<{ holder: string; until: Date }>(
      `SELECT id AS holder, until FROM work_holder
        WHERE $1 = ANY (kinds) AND until > $2 ORDER BY until DESC, id LIMIT 1`,
      [DATASET_KIND, now],
    );
    return row ?? null;
  }

  /** No run of the kind begins from then on; one under way is finished. @returns whether there is such a kind */
  async pause(
    name: string,
    { by, reason }: { by: string; reason: string },
    at: Date,
    transaction: Queryable,
  ): Promise<boolean> {
    return this.steer(
      'paused_at = coalesce(paused_at, $2), paused_by = $3, pause_reason = $4',
      [name, at, by, reason],
      // Ready keys of a paused kind would block keys that an operator requests.
      'UPDATE work SET ready = false WHERE kind = $1 AND ready',
      transaction,
    );
  }

  /** @returns whether there is such a kind */
  async resume(name: string, transaction: Queryable): Promise<boolean> {
    return this.steer('paused_at = NULL, paused_by = NULL, pause_reason = NULL', [name], null, transaction);
  }

  /** Has every key of the kind run once, also while it is paused. @returns whether there is such a kind */
  async want(name: string, at: Date, transaction: Queryable): Promise<boolean> {
    return this.steer(
      'wanted_at = $2',
      [name, at],
      // Keys under way become ready at their end; their rows may be locked by long transactions until then.
      `UPDATE work SET ready = true
         FROM (SELECT kind, key FROM work WHERE kind = $1 AND holder IS NULL FOR UPDATE SKIP LOCKED) AS idle
        WHERE work.kind = idle.kind AND work.key = idle.key`,
      transaction,
    );
  }

  private async steer(
    columns: string,
    parameters: readonly unknown[],
    change: string | null,
    transaction: Queryable,
  ): Promise<boolean> {
    const [name] = parameters;
    const rows = await transaction.query(
      `UPDATE work_kind SET ${columns} WHERE kind = $1 RETURNING kind`,
      parameters,
    );
    if (rows.length > 0 && change !== null) await transaction.query(change, [name]);
    return rows.length > 0;
  }
}
