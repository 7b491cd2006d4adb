import { Injectable } from '@nestjs/common';
import type { Queryable } from '../db/database.js';
import type { KindName } from './kind.js';

/** A due key and its lane. */
export interface WokenKey {
  readonly key: string;
  readonly lane?: string;
}

/**
 * What makes keys due as a part of another statement, as {@link WorkQueue.wake} does.
 *
 * @param woken a query of `key`, `lane` and `due_at`
 */
export function wakingOf(kind: string, woken: string): string {
  return `INSERT INTO work AS known (kind, key, lane, due_at)
       SELECT ${kind}, key, lane, due_at FROM (${woken}) AS woken
        -- In one order, or two transactions would wait for each other.
        ORDER BY key
       ON CONFLICT (kind, key) DO UPDATE
          SET wake_at = CASE WHEN known.holder IS NOT NULL THEN least(known.wake_at, excluded.due_at) END,
              due_at = CASE WHEN known.holder IS NULL THEN excluded.due_at ELSE known.due_at END
        WHERE known.holder IS NOT NULL
           OR known.due_at > excluded.due_at AND (known.failures = 0 OR known.due_at = 'infinity')`;
}

const WAKE = wakingOf(
  '$1',
  `SELECT key, lane, coalesce($4::timestamptz, now()) AS due_at FROM unnest($2::text[], $3::text[]) AS one (key, lane)`,
);

/** Makes keys due: in the transaction of their cause, so that neither is without the other. */
@Injectable()
export class WorkQueue {
  /**
   * A key that is under way runs once more. One that failed keeps its back-off. The rows stay locked until the
   * transaction ends, so this is its last statement.
   *
   * @param dueAt left out: now
   */
  async wake(
    transaction: Queryable,
    kind: KindName,
    keys: readonly WokenKey[],
    dueAt: Date | null = null,
  ): Promise<void> {
    if (keys.length === 0) return;
    await transaction.kept(WAKE, [
      ...[kind, keys.map(({ key }) => key), keys.map(({ lane = '' }) => lane), dueAt],
    ]);
  }
}
