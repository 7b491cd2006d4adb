import { Injectable } from '@nestjs/common';
import type { ListAddress } from '../../config/config.js';
import { ADVISORY_LOCKS, type ListKind } from '../../config/product.js';
import type { CalendarDate } from '../../domains/schema/calendar-date.js';
import { Database, type Queryable } from '../../db/database.js';

/**
 * What came of a fetch: the list was imported; it was the one imported before; it is not to be trusted, and was not
 * imported; or there was none.
 */
export const LIST_OUTCOMES = ['imported', 'unchanged', 'alarm', 'failed'] as const;
export type ListOutcome = (typeof LIST_OUTCOMES)[number];

/** One fetch of an official drop list, as it is on record. What it did not come to is null. */
export interface ListFetch {
  readonly id: number;
  readonly address: string;
  readonly kind: ListKind;
  readonly startedAt: Date;
  /** Null while it is under way, and of one whose process was killed until the next fetch notices. */
  readonly finishedAt: Date | null;
  readonly httpStatus: number | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Bytes of the list as text, unpacked. */
  readonly bytes: number | null;
  /** The first row, in lower case and without spaces around its cells. */
  readonly header: string | null;
  /** The newest day that it lists. */
  readonly newestDay: CalendarDate | null;
  /** Rows below the header. */
  readonly rows: number | null;
  /** SHA-256 of the list as text, as hexadecimal digits. */
  readonly sha256: string | null;
  /** The same of its sorted rows, without the header. */
  readonly rowsSha256: string | null;
  /** Rows that break a rule. */
  readonly rejected: number | null;
  /** Rows whose purge lay ahead. */
  readonly ahead: number | null;
  readonly outcome: ListOutcome | null;
  /** Why, of an alarm and a failure. */
  readonly detail: string | null;
  /** Whether an operator wants the list in spite of its alarm. */
  readonly isAccepted: boolean;
}

/** How an address is doing. */
export interface ListAddressState {
  readonly address: string;
  /** Its newest fetch; null: it was never asked. */
  readonly latest: ListFetch | null;
  /** Failures since the last fetch that was none. */
  readonly failuresInRow: number;
  readonly lastImported: ListFetch | null;
}

/** Counting them further would change nothing: the back-off has long reached its end. */
const MAX_COUNTED_FAILURES = 20;

const IMPORTS_KEPT = '25 months';
/** There is a fetch an hour and address. */
const OTHERS_KEPT = '90 days';

const KILLED = 'The process that fetched it ended before it was done.';

/** The record of all fetches of the official drop lists. */
@Injectable()
export class ListFetchRepository {
  constructor(private readonly database: Database) {}

  /**
   * Does the work as the one process of the installation that fetches. The lock belongs to a transaction that does
   * nothing else, so a process that is killed leaves it at once; a session's would be left behind in a pool that
   * hands out connections by transaction.
   *
   * @returns null when another process is fetching
   */
  async alone<Result>(work: () => Promise<Result>): Promise<Result | null> {
    return this.database.transaction(async (transaction) => {
      await transaction.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      const [lock] = await transaction.query<{ mine: boolean }>(
        'SELECT pg_try_advisory_xact_lock($1) AS mine',
        [ADVISORY_LOCKS.listFetch],
      );
      return lock?.mine ? work() : null;
    });
  }

  /** To be called under the lock: a fetch without an outcome then belongs to a process that was killed. */
  async failKilledFetches(now: Date): Promise<void> {
    await this.database.query(
      `UPDATE list_fetch SET finished_at = greatest(started_at, $1), outcome = 'failed', detail = $2
        WHERE outcome IS NULL`,
      [now, KILLED],
    );
  }

  async begin({ url, kind }: ListAddress, startedAt: Date): Promise<number> {
    const [row] = await this.database.query<{ id: string }>(
      'INSERT INTO list_fetch (address, kind, started_at) VALUES ($1, $2, $3) RETURNING id',
      [url, kind, startedAt],
    );
    if (!row) throw new Error('the insert returned no row');
    return Number(row.id);
  }

  async finish(fetch: ListFetch): Promise<void> {
    await this.database.query(
      `UPDATE list_fetch
          SET finished_at = $2, http_status = $3, etag = $4, last_modified = $5, bytes = $6, header = $7, rows = $8,
              sha256 = $9, rows_sha256 = $10, rejected = $11, ahead = $12, outcome = $13, detail = $14,
              newest_day = $15
        WHERE id = $1`,
      [
        fetch.id,
        fetch.finishedAt,
        fetch.httpStatus,
        fetch.etag,
        fetch.lastModified,
        fetch.bytes,
        fetch.header,
        fetch.rows,
        fetch.sha256,
        fetch.rowsSha256,
        fetch.rejected,
        fetch.ahead,
        fetch.outcome,
        fetch.detail,
        fetch.newestDay,
      ],
    );
  }

  /** How an address is doing: two steps into an index. */
  async readState(address: string): Promise<ListAddressState> {
    const recent = await this.listFetches(address, MAX_COUNTED_FAILURES);
    const [imported] = await this.database.query<ListFetchRow>(
      `SELECT ${COLUMNS} FROM list_fetch WHERE address = $1 AND outcome = 'imported' ORDER BY id DESC LIMIT 1`,
      [address],
    );
    const firstOther = recent.findIndex(({ outcome }) => outcome !== 'failed');
    return {
      address,
      latest: recent[0] ?? null,
      failuresInRow: firstOther === -1 ? recent.length : firstOther,
      lastImported: imported ? toListFetch(imported) : null,
    };
  }

  /** The newest fetches of an address, newest first. */
  async listFetches(address: string, limit: number): Promise<ListFetch[]> {
    const rows = await this.database.query<ListFetchRow>(
      `SELECT ${COLUMNS} FROM list_fetch WHERE address = $1 ORDER BY id DESC LIMIT $2`,
      [address, limit],
    );
    return rows.map(toListFetch);
  }

  /** The newest fetches of all addresses, newest first. */
  async listNewest(limit: number): Promise<ListFetch[]> {
    const rows = await this.database.query<ListFetchRow>(
      `SELECT ${COLUMNS} FROM list_fetch ORDER BY id DESC LIMIT $1`,
      [limit],
    );
    return rows.map(toListFetch);
  }

  /** Deletes records of long ago, but for the last import of each address: fetched lists are compared with it. */
  async deleteOld(now: Date): Promise<void> {
    await this.database.query(
      `DELETE FROM list_fetch AS old
        WHERE started_at < $1::timestamptz - CASE outcome WHEN 'imported' THEN interval '${IMPORTS_KEPT}'
                                                        ELSE interval '${OTHERS_KEPT}' END
          AND (outcome <> 'imported'
               OR EXISTS (SELECT FROM list_fetch AS later
                           WHERE later.address = old.address AND later.outcome = 'imported' AND later.id > old.id))`,
      [now],
    );
  }

  /** Accepts the list of an alarm. @returns whether it was the newest fetch of its address, and an alarm */
  async accept(id: number, transaction: Queryable): Promise<boolean> {
    const rows = await transaction.query(
      `UPDATE list_fetch AS alarm SET is_accepted = true
        WHERE id = $1 AND outcome = 'alarm'
          AND NOT EXISTS (SELECT FROM list_fetch AS later WHERE later.address = alarm.address AND later.id > alarm.id)
        RETURNING id`,
      [id],
    );
    return rows.length > 0;
  }

  /** Whether these rows were imported from the address, as far back as imports are kept. */
  async wasImported(address: string, rowsSha256: string): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT FROM list_fetch WHERE address = $1 AND outcome = 'imported' AND rows_sha256 = $2 LIMIT 1`,
      [address, rowsSha256],
    );
    return rows.length > 0;
  }
}

const COLUMNS = `id, address, kind, started_at, finished_at, http_status, etag, last_modified, bytes, header, rows,
  sha256, rows_sha256, rejected, ahead, outcome, detail, is_accepted,
  to_char(newest_day, 'YYYY-MM-DD') AS newest_day`;

interface ListFetchRow {
  id: string;
  address: string;
  kind: ListFetch['kind'];
  started_at: Date;
  finished_at: Date | null;
  http_status: number | null;
  etag: string | null;
  last_modified: string | null;
  bytes: number | null;
  header: string | null;
  newest_day: string | null;
  rows: number | null;
  sha256: string | null;
  rows_sha256: string | null;
  rejected: number | null;
  ahead: number | null;
  outcome: ListFetch['outcome'];
  detail: string | null;
  is_accepted: boolean;
}

function toListFetch(row: ListFetchRow): ListFetch {
  return {
    id: Number(row.id),
    address: row.address,
    kind: row.kind,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    httpStatus: row.http_status,
    etag: row.etag,
    lastModified: row.last_modified,
    bytes: row.bytes,
    header: row.header,
    newestDay: row.newest_day,
    rows: row.rows,
    sha256: row.sha256,
    rowsSha256: row.rows_sha256,
    rejected: row.rejected,
    ahead: row.ahead,
    outcome: row.outcome,
    detail: row.detail,
    isAccepted: row.is_accepted,
  };
}
