import { Injectable } from '@nestjs/common';
import { Database } from '../db/database.js';
import type { Fence } from '../db/scope.js';
import { LEASE_LOST } from '../errors/database-failure.js';
import { DEADLINE_MS, GRACE_MS, type Kind, longestMs, type Work, type WorkCursor } from './kind.js';

/** Work that a process has claimed. */
export interface ClaimedWork extends Work {
  /** Rises with every claim of the key. As decimal digits: a bigint. */
  readonly fence: string;
  readonly dueAt: Date;
}

/** How a run ended. */
export interface EndedWork {
  readonly kind: string;
  readonly key: string;
  readonly fence: string;
  readonly outcome: 'done' | 'failed' | 'put off';
  /** When the run began. */
  readonly at: Date;
  /** When the key is due again; null: when it is woken. */
  readonly dueAt: Date | null;
  readonly error?: string;
  /** Of a failure: whether the run had to be ended at its deadline. */
  readonly hasOverrun?: boolean;
  readonly cursor?: WorkCursor | undefined;
  readonly isSlow?: boolean | undefined;
}

/** A process without a sign of life for this long loses its keys. */
export const LEASE_MS = 15_000;
/** A lease that ends further ahead than this is void: the clock was set back. */
const HORIZON_MS = 4 * LEASE_MS;
/** A process that freezes in a transaction loses it: its locks must not keep the key from its successor. */
const MAX_IDLE_IN_TRANSACTION = '10s';
/** Keys of one kind that become ready in one look. */
const MAX_PROMOTED = 200;
/** Turns that a lane pays at most for having been served while no other lane waited. */
const MAX_DEBT = 64;

/**
 * All SQL of the engine on the table `work`, but for the operators'. Every statement gets the time as a parameter:
 * PostgreSQL uses no index for a comparison with clock_timestamp().
 */
@Injectable()
export class WorkRepository {
  constructor(private readonly database: Database) {}

  /** Makes sure that each kind is known, and that each with an interval has its key, due within that interval. */
  async schedule(kinds: readonly Kind[], now: Date): Promise<void> {
    const timed = kinds.filter(({ everyMs }) => everyMs !== undefined);
    await this.database.kept(
      `WITH known AS (
         INSERT INTO work_kind (kind)
         SELECT kind FROM unnest($1::text[]) AS kind
          WHERE NOT EXISTS (SELECT FROM work_kind AS old WHERE old.kind = kind.kind)
         ON CONFLICT DO NOTHING
       )
       INSERT INTO work (kind, key, due_at)
       SELECT kind, '', $5::timestamptz + make_interval(secs => first_ms / 1000)
         FROM unnest($2::text[], $3::float8[], $4::float8[]) AS timed (kind, first_ms, longest_ms)
        WHERE NOT EXISTS (
                SELECT FROM work WHERE work.kind = timed.kind AND work.key = ''
                   AND work.due_at <= $5::timestamptz + make_interval(secs => (first_ms + longest_ms) / 1000))
       ON CONFLICT (kind, key) DO UPDATE SET due_at = $5 WHERE work.holder IS NULL`,
      [
        kinds.map(({ name }) => name),
        timed.map(({ name }) => name),
        timed.map(({ firstInMs = 0 }) => firstInMs),
        timed.map(longestMs),
        now,
      ],
    );
  }

  /** Shows that the process lives. @returns what it holds */
  async beat(
    holder: string,
    process: string,
    kinds: readonly string[],
    now: Date,
  ): Promise<readonly { kind: string; key: string; fence: string }[]> {
    return this.database.kept(
      `WITH beat AS (
         INSERT INTO work_holder (id, process, kinds, until)
         VALUES ($1, $2, $3, $4::timestamptz + make_interval(secs => ${LEASE_MS} / 1000.0))
         ON CONFLICT (id) DO UPDATE SET kinds = excluded.kinds, until = excluded.until
       )
       SELECT kind, key, fence::text FROM work WHERE holder = $1`,
      [holder, process, kinds, now],
    );
  }

  /**
   * Frees the keys of processes that are gone, and of runs that their process should have ended by now.
   *
   * @returns when the next lease ends, if its process gives no sign of life
   */
  async reap(now: Date): Promise<Date | null> {
    const [row] = await this.database.kept<{ nextEnd: Date | null }>(
      // A row that its holder has locked in a transaction is left for the next time: it may still commit.
      `WITH lost AS MATERIALIZED (
         SELECT kind, key, deadline_at < $1 AS is_late FROM work
          WHERE holder IS NOT NULL
            AND (deadline_at < $1
                 OR NOT EXISTS (SELECT FROM work_holder
                                 WHERE id = work.holder AND until > $1
                                   AND until <= $1::timestamptz + make_interval(secs => ${HORIZON_MS} / 1000.0)))
            FOR UPDATE SKIP LOCKED
       ), freed AS (
         UPDATE work
            SET holder = NULL, deadline_at = NULL, ready = false, wake_at = NULL, due_at = least(due_at, wake_at),
                failures = CASE WHEN is_late THEN failures + 1 ELSE failures END,
                last_error = CASE WHEN is_late THEN 'a run did not end by its deadline' ELSE last_error END,
                last_error_at = CASE WHEN is_late THEN $1 ELSE last_error_at END,
                overran_at = CASE WHEN is_late THEN $1 ELSE overran_at END
           FROM lost WHERE work.kind = lost.kind AND work.key = lost.key
       ), forgotten AS (
         DELETE FROM work_holder WHERE until < $1::timestamptz - interval '1 hour'
       )
       SELECT min(until) AS "nextEnd" FROM work_holder WHERE until > $1`,
      [now],
    );
    return row?.nextEnd ?? null;
  }

  /**
   * Makes due keys ready, in a fair order: each lane gets a turn before any gets its second. A turn follows the first
   * that waits and the last of its own lane.
   *
   * @returns the kinds that have a key ready, and when the next key is due
   */
  async promote(kinds: readonly string[], now: Date): Promise<{ ready: string[]; nextDue: Date | null }> {
    const [row] = await this.database.kept<{ ready: string[]; nextDue: Date | null }>(
      `WITH mine AS MATERIALIZED (
         SELECT kind, (SELECT due_at FROM work WHERE work.kind = mine.kind AND holder IS NULL AND NOT ready
                        ORDER BY due_at LIMIT 1) AS first_due
           FROM unnest($1::text[]) AS mine (kind) LEFT JOIN work_kind USING (kind) WHERE paused_at IS NULL
       ), due AS MATERIALIZED (
         SELECT due.* FROM mine CROSS JOIN LATERAL (
           SELECT kind, key, lane, due_at FROM work
            WHERE work.kind = mine.kind AND holder IS NULL AND NOT ready AND due_at <= $2
            ORDER BY due_at LIMIT ${MAX_PROMOTED} FOR UPDATE SKIP LOCKED) AS due
          WHERE first_due <= $2
       ), first AS (
         SELECT kind, coalesce(
           (SELECT min(turn) FROM work WHERE work.kind = due.kind AND holder IS NULL AND ready),
           (SELECT max(turn) FROM work WHERE work.kind = due.kind AND holder IS NOT NULL), 0) AS turn
           FROM (SELECT DISTINCT kind FROM due) AS due
       ), last AS (
         SELECT kind, lane, (SELECT max(turn) FROM work WHERE work.kind = due.kind AND work.lane = due.lane) AS turn
           FROM (SELECT DISTINCT kind, lane FROM due) AS due
       ), promoted AS (
         UPDATE work SET ready = true,
                turn = greatest(first.turn, least(last.turn, first.turn + ${MAX_DEBT})) + due.place
           FROM (SELECT due.*, row_number() OVER (PARTITION BY kind, lane ORDER BY due_at) AS place FROM due) AS due
                JOIN first USING (kind) JOIN last USING (kind, lane)
          WHERE work.kind = due.kind AND work.key = due.key
         RETURNING work.kind
       )
       SELECT ARRAY(SELECT kind FROM unnest($1::text[]) AS wanted (kind)
                     WHERE EXISTS (SELECT FROM work WHERE work.kind = wanted.kind AND holder IS NULL AND ready)
                        OR kind IN (SELECT kind FROM promoted)) AS ready,
              (SELECT nullif(min(CASE WHEN first_due > $2 THEN first_due ELSE
                            (SELECT due_at FROM work
                              WHERE work.kind = mine.kind AND holder IS NULL AND NOT ready AND due_at > $2
                              ORDER BY due_at LIMIT 1) END), 'infinity')
                 FROM mine WHERE first_due < 'infinity') AS "nextDue"`,
      [kinds, now],
    );
    return row ?? { ready: [], nextDue: null };
  }

  /** Takes ready keys for a process. @param places of each kind, how many it has room for */
  async claim(
    holder: string,
    places: readonly { kind: Kind; isSlow: boolean; free: number }[],
    now: Date,
  ): Promise<ClaimedWork[]> {
    return this.database.kept<ClaimedWork & Record<string, unknown>>(
      `WITH chosen AS MATERIALIZED (
         SELECT chosen.*, deadline_ms
           FROM jsonb_to_recordset($2) AS place (kind text, free int, deadline_ms float8, is_slow boolean)
                LEFT JOIN work_kind USING (kind) CROSS JOIN LATERAL (
             SELECT work.kind, work.key FROM work
              WHERE work.kind = place.kind AND work.is_slow = place.is_slow AND holder IS NULL AND ready
                AND (paused_at IS NULL OR wanted_at <= $3 AND wanted_at > coalesce(last_run_at, '-infinity'))
              ORDER BY turn LIMIT place.free FOR UPDATE OF work SKIP LOCKED) AS chosen
       )
       UPDATE work
          SET holder = $1, ready = false, fence = fence + 1, last_run_at = $3,
              deadline_at = $3::timestamptz + make_interval(secs => deadline_ms / 1000)
         FROM chosen WHERE work.kind = chosen.kind AND work.key = chosen.key
       RETURNING work.kind, work.key, cursor, failures, work.is_slow AS "isSlow", fence::text, due_at AS "dueAt"`,
      [
        holder,
        // As one value: with arrays of changing lengths it would be planned each time.
        JSON.stringify(
          places.map(({ kind, isSlow, free }) => ({
            ...{ kind: kind.name, free, is_slow: isSlow },
            // Its own process has ended it by then, where that lives.
            deadline_ms: (kind.deadlineMs ?? DEADLINE_MS) + 2 * (kind.graceMs ?? GRACE_MS),
          })),
        ),
        now,
      ],
    );
  }

  /**
   * Writes down how runs ended. A run whose key another process has by now changes nothing.
   *
   * @returns the runs that still hold their key; one is not written while its own transaction locks the row
   */
  async end(
    holder: string,
    ended: readonly EndedWork[],
  ): Promise<{ kind: string; key: string; fence: string; isWritten: boolean }[]> {
    return this.database.kept(
      `WITH mine AS MATERIALIZED (
         SELECT ended.* FROM work
           JOIN jsonb_to_recordset($2::jsonb) AS ended (kind text, key text, fence bigint, outcome text, at timestamptz,
                                                        due timestamptz, error text, "hasOverrun" boolean,
                                                        cursor jsonb, "isSlow" boolean)
                USING (kind, key)
          WHERE holder = $1 AND work.fence = ended.fence
       ), free AS MATERIALIZED (
         SELECT mine.* FROM work JOIN mine USING (kind, key)
          WHERE holder = $1 AND work.fence = mine.fence FOR UPDATE OF work SKIP LOCKED
       ), written AS (
         UPDATE work
            SET holder = NULL, deadline_at = NULL, wake_at = NULL,
                ready = coalesce((SELECT wanted_at > last_run_at FROM work_kind WHERE work_kind.kind = work.kind),
                                 false),
                -- A key that was woken while it failed waits all the same.
                due_at = coalesce(CASE WHEN outcome = 'failed' THEN free.due ELSE least(free.due, wake_at) END,
                                  wake_at, 'infinity'),
                failures = CASE outcome WHEN 'done' THEN 0 WHEN 'failed' THEN failures + 1 ELSE failures END,
                last_success_at = CASE outcome WHEN 'done' THEN free.at ELSE last_success_at END,
                last_error = CASE outcome WHEN 'failed' THEN free.error ELSE last_error END,
                last_error_at = CASE outcome WHEN 'failed' THEN free.at ELSE last_error_at END,
                overran_at = CASE WHEN outcome = 'done' THEN NULL WHEN free."hasOverrun" THEN free.at
                             ELSE overran_at END,
                cursor = coalesce(free.cursor, work.cursor), is_slow = coalesce(free."isSlow", work.is_slow)
           FROM free WHERE work.kind = free.kind AND work.key = free.key
         RETURNING work.kind, work.key
       )
       SELECT mine.kind, mine.key, mine.fence::text, written.key IS NOT NULL AS "isWritten"
         FROM mine LEFT JOIN written USING (kind, key)`,
      [holder, JSON.stringify(ended.map(({ dueAt, ...one }) => ({ ...one, due: dueAt })))],
    );
  }

  /** Ends a process: its keys are free at once. */
  async release(holder: string): Promise<void> {
    await this.database.kept(
      `WITH gone AS (DELETE FROM work_holder WHERE id = $1)
       UPDATE work SET holder = NULL, deadline_at = NULL, due_at = least(due_at, wake_at), wake_at = NULL
        WHERE holder = $1`,
      [holder],
    );
  }

  /** Removes keys that have waited to be woken for a while; one that is woken again is inserted again. */
  async deleteIdle(now: Date): Promise<void> {
    await this.database.kept(
      `DELETE FROM work WHERE holder IS NULL AND NOT ready AND due_at = 'infinity'
          AND (last_run_at IS NULL OR last_run_at < $1::timestamptz - interval '10 minutes')`,
      [now],
    );
  }
}

/** Keeps a key from changing hands until the transaction ends. */
export function fenceOf(holder: string, { kind, key, fence }: ClaimedWork): Fence {
  return {
    sql: `SELECT coalesce((SELECT set_config('idle_in_transaction_session_timeout', $5, true)
                             FROM work WHERE kind = $1 AND key = $2 AND holder = $3 AND fence = $4 FOR SHARE),
                          end_statement('${LEASE_LOST}', 'the work has gone to another process')::text)`,
    parameters: [kind, key, holder, fence, MAX_IDLE_IN_TRANSACTION],
  };
}
