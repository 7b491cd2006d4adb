import { Injectable } from '@nestjs/common';
import { Database } from '../../db/database.js';
import type { OfferedName } from '../lifecycle/lifecycle.js';
import type { Threshold } from './threshold.js';

/** A name on offer with the moment of its next question. */
export interface ScheduledName extends OfferedName {
  readonly domain: string;
  readonly askAt: Date;
}

export interface MovedMoment {
  readonly domain: string;
  /** What it was when it was read. */
  readonly from: Date;
  readonly to: Date;
}

type Row = { domain: string; ask_at: Date; checked_at: Date; dropped_at: Date | null; wayback: number };

const COLUMNS = 'recheck.domain, recheck.ask_at, recheck.checked_at, domain.dropped_at, domain.wayback';

/** All SQL on the moments at which names on offer are asked about, and on the threshold that they follow. */
@Injectable()
export class RecheckMomentRepository {
  constructor(private readonly database: Database) {}

  /** When the name is or was due that is due first; null when none is on offer. */
  async findFirstMoment(): Promise<Date | null> {
    const [row] = await this.database.query<{ ask_at: Date }>(
      'SELECT ask_at FROM recheck WHERE offered ORDER BY ask_at LIMIT 1',
    );
    return row?.ask_at ?? null;
  }

  /** Names that are due, the earliest first. */
  async listDue(now: Date, limit: number): Promise<ScheduledName[]> {
    const rows = await this.database.query<Row>(
      `SELECT ${COLUMNS}
         FROM (SELECT * FROM recheck WHERE offered AND ask_at <= $1 ORDER BY ask_at LIMIT $2) AS recheck
         JOIN domain USING (domain)
        ORDER BY recheck.ask_at`,
      [now, limit],
    );
    return rows.map(toScheduledName);
  }

  /**
   * Those behind `after` in the order of the alphabet, and where the next ones begin. Names that the registry gave
   * no answer for are left out: they wait for another reason.
   */
  async listBehind(after: string, limit: number): Promise<{ names: ScheduledName[]; last: string | null }> {
    const rows = await this.database.query<Row & { is_failing: boolean }>(
      `SELECT ${COLUMNS}, EXISTS (SELECT FROM question_failure WHERE domain = recheck.domain) AS is_failing
         FROM (SELECT * FROM recheck WHERE offered AND domain > $1 ORDER BY domain LIMIT $2) AS recheck
         JOIN domain USING (domain)
        ORDER BY recheck.domain`,
      [after, limit],
    );
    return {
      names: rows.filter((row) => !row.is_failing).map(toScheduledName),
      last: rows.length < limit ? null : (rows.at(-1)?.domain ?? null),
    };
  }

  /** Moves times, except where an answer has moved one since it was read. */
  async move(moments: readonly MovedMoment[]): Promise<void> {
    if (moments.length === 0) return;
    await this.database.transaction(async (transaction) => {
      // To the millisecond, which is as far as a Date goes.
      await transaction.query(
        `UPDATE recheck SET ask_at = moved.ask_at
           FROM (SELECT recheck.domain, moment.ask_at
                   FROM unnest($1::text[], $2::timestamptz[], $3::timestamptz[]) AS moment (domain, before, ask_at)
                   JOIN recheck ON recheck.domain = moment.domain
                     AND date_trunc('milliseconds', recheck.ask_at) = moment.before
                  ORDER BY recheck.domain FOR UPDATE OF recheck SKIP LOCKED) AS moved
          WHERE recheck.domain = moved.domain`,
        [moments.map(({ domain }) => domain), moments.map(({ from }) => from), moments.map(({ to }) => to)],
      );
    });
  }

  /** Null before the first adjustment. */
  async readThreshold(): Promise<(Threshold & { readonly adjustedAt: Date }) | null> {
    const [row] = await this.database.query<{ steady: number; current: number; adjusted_at: Date }>(
      'SELECT steady, current, adjusted_at FROM freshness_threshold',
    );
    return row ? { steady: row.steady, current: row.current, adjustedAt: row.adjusted_at } : null;
  }

  async saveThreshold({ steady, current }: Threshold, at: Date): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query(
        `INSERT INTO freshness_threshold (steady, current, adjusted_at) VALUES ($1, $2, $3)
         ON CONFLICT (singleton) DO UPDATE
           SET steady = excluded.steady, current = excluded.current, adjusted_at = excluded.adjusted_at`,
        [steady, current, at],
      );
    });
  }
}

function toScheduledName(row: Row): ScheduledName {
  return {
    domain: row.domain,
    askAt: row.ask_at,
    checkedAt: row.checked_at,
    droppedAt: row.dropped_at,
    wayback: row.wayback,
  };
}
